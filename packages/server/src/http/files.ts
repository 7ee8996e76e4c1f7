import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import sendFile from 'send'
import { Failure, failure } from '../kernel/errors.ts'
import { apiSecurityHeaders, send, sendAnswer, type HoldAnswer } from './answer.ts'
import type { Transport } from './transport.ts'
import { formBytesMax, receiveForm } from './file-form.ts'
import { hangUpAfter } from './body.ts'

type FileId = { readonly workspaceId: string; readonly id: string }
type Bounds = { readonly bytesMin: number; readonly bytesMax: number }

/** Permission of a signed URL. */
type Grant =
  | ({ readonly act: 'put' | 'post' } & Bounds & FileId)
  | ({ readonly act: 'transcript' } & FileId)
  | ({ readonly act: 'get'; readonly contentType: string; readonly disposition: string } & FileId)

/** Services behind the signed URLs of this server. */
export type SignedFiles = {
  /** Returns the grant of a token; throws a failure if it has none. */
  readonly open: (token: string) => Grant
  /** Returns the transcript of a recording; undefined if it is gone. */
  readonly transcript: (recording: FileId) => Promise<unknown>
  /** Undefined where the bytes of files are elsewhere. */
  readonly local: LocalFiles | undefined
}

type LocalFiles = {
  readonly receive: (file: FileId, bytes: Readable, bounds: Bounds, signal?: AbortSignal) => Promise<void>
  readonly folder: string
  readonly pathOf: (file: FileId) => string
}

/** Longest that a client may send, or take, nothing. */
const idleMsMax = 60_000

/** Takes and gives the bytes of files, by signed URLs (docs/decisions/0178). */
export const fileListener =
  (files: SignedFiles, { exchange, holdAnswer }: Pick<Transport, 'exchange' | 'holdAnswer'>): RequestListener =>
  (request, response) =>
    void exchange(request, response, async (_requestId, headers, note) => {
      note.operation = 'files'
      // Node ends a connection on which nothing comes or goes for so long.
      request.socket.setTimeout(idleMsMax)
      hangUpAfter(request, response)
      const grant = files.open(tokenOf(request))
      if (grant.act === 'transcript') return giveTranscript(files, grant, request, response, headers, holdAnswer)
      if (files.local === undefined)
        throw failure('not_found', 'This server does not store files: its files are in a bucket.')
      if (grant.act === 'get') return give(files.local, grant, request, response, headers)
      await take(files.local, grant, request)
      send(response, grant.act === 'put' ? 200 : 204, grant.act === 'put' ? {} : undefined, headers)
    })

async function giveTranscript(
  { transcript }: SignedFiles,
  recording: FileId,
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
  hold: HoldAnswer,
): Promise<void> {
  refuseOthers(request, 'GET', 'HEAD')
  const body = await transcript(recording)
  if (body === undefined) throw failure('not_found', 'This transcript no longer exists.')
  await sendAnswer(response, 200, body, headers, { isSecret: false, isRepeatable: true, hold })
}

/** Takes the bytes of an upload: they are the body, or the file in a form. */
async function take(
  { receive }: LocalFiles,
  { act, bytesMin, bytesMax, ...file }: Grant & { readonly act: 'put' | 'post' },
  request: IncomingMessage,
): Promise<void> {
  refuseOthers(request, act === 'put' ? 'PUT' : 'POST')
  refuseLong(request, act === 'put' ? bytesMax : bytesMax + formBytesMax)
  const bounds = { bytesMin, bytesMax }
  if (act === 'put') await receive(file, request, bounds)
  else await receiveForm(request, (bytes, signal) => receive(file, bytes, bounds, signal))
}

const tokenOf = ({ url = '' }: IncomingMessage): string => new URL(url, 'http://here').searchParams.get('token') ?? ''

function refuseOthers({ method = '' }: IncomingMessage, ...allow: string[]): void {
  if (!allow.includes(method))
    throw new Failure(
      { code: 'method_not_allowed', detail: `This URL accepts ${allow.join(' and ')}, not ${method}.` },
      { allow },
    )
}

/** Refuses what says that it is too long before it arrives. */
function refuseLong({ headers }: IncomingMessage, bytesMax: number): void {
  if (Number(headers['content-length'] ?? 0) > bytesMax)
    throw failure('payload_too_large', `A file can have at most ${bytesMax} bytes.`, {
      meta: { limit_bytes: bytesMax },
    })
}

/** Headers that let a browser only display a harmless uploaded file, and nothing else. */
const fileHeaders = {
  ...apiSecurityHeaders,
  'Cache-Control': 'private, max-age=3600',
  'Content-Security-Policy': "default-src 'none'; sandbox",
  'Cross-Origin-Resource-Policy': 'cross-origin',
}

async function give(
  { folder, pathOf }: LocalFiles,
  { contentType, disposition, ...file }: Grant & { readonly act: 'get' },
  request: IncomingMessage,
  response: ServerResponse,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  refuseOthers(request, 'GET', 'HEAD')
  const all = {
    ...fileHeaders,
    ...headers,
    ETag: `"${file.id}"`,
    'Content-Type': contentType,
    'Content-Disposition': disposition,
  }
  for (const [name, value] of Object.entries(all)) response.setHeader(name, value)
  await fitRange(request, resolve(folder, pathOf(file)))
  const failed = Promise.withResolvers<never>()
  sendFile(request, pathOf(file), { root: folder, cacheControl: false, lastModified: false, dotfiles: 'allow' })
    .on('error', (error: Error & { readonly status?: number }) => failed.reject(giveFailure(error)))
    .pipe(response)
  try {
    await Promise.race([finished(response), failed.promise])
  } catch (error) {
    if (error instanceof Failure) throw cleared(response, all, error)
    // Its reader has gone.
    response.destroy()
  }
}

/**
 * Reads a range as RFC 9110 §14 does: GET only has one, its unit is written in any case, and the last bytes of a file
 * that has fewer are all of it.
 */
async function fitRange({ headers, method }: IncomingMessage, path: string): Promise<void> {
  if (headers.range === undefined) return
  if (method === 'GET') headers.range = headers.range.replace(/^bytes=\s*/i, 'bytes=')
  else delete headers.range
  const [, wanted] = /^bytes=-(\d+)$/.exec(headers.range ?? '') ?? []
  const size =
    wanted === undefined
      ? undefined
      : await stat(path).then(
          (found) => found.size,
          () => undefined,
        )
  if (size !== undefined && Number(wanted) > size && size > 0) headers.range = 'bytes=0-'
}

const giveFailure = ({ status }: { readonly status?: number }): Failure =>
  status === 416
    ? failure('range_not_satisfiable', 'The file ends before this range begins.', { source: { header: 'Range' } })
    : failure('not_found', 'This file no longer exists.')

/** Takes back what was said of a file that is not sent. */
function cleared(response: ServerResponse, headers: Readonly<Record<string, string>>, error: Failure): Failure {
  if (!response.headersSent) for (const name of Object.keys(headers)) response.removeHeader(name)
  return error
}
