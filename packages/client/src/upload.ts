import type { Attachment } from '@kontor/contract'
import { ConnectionFailed, KontorError } from './errors.ts'
import { attachments } from './operations.ts'
import { pause } from './pause.ts'
import type { RestClient } from './rest.ts'
import { isPassing, waitMs } from './retries.ts'
import { withoutQuery } from './sender.ts'

/** The record that a file is attached to. */
export type AttachTo = { readonly workspace: string; readonly object: string; readonly id: string }

export type UploadOptions = {
  /** A `File` has one of its own. */
  readonly name?: string
  /**
   * Called with the bytes sent and their total: in a browser as they are sent, elsewhere when all are. The number never
   * falls, even if the upload has to begin again, and reaches the total when the storage has the whole file.
   */
  readonly onProgress?: (sent: number, total: number) => void
  readonly signal?: AbortSignal
}

/** Attaches a file to a record: asks for an upload, sends the bytes, and creates the attachment. */
export async function uploadAttachment(
  rest: RestClient,
  record: AttachTo,
  file: Blob & { readonly name?: string },
  { name = file.name ?? 'file', onProgress, signal }: UploadOptions = {},
): Promise<Pick<Attachment, '_id' | 'name'>> {
  const options = signal === undefined ? {} : { signal }
  const body = { name, size_bytes: file.size }
  const { signedUrl, key, attachmentId } = (await rest.call(attachments.upload, { ...record, body }, options)).body.data
  await putBytes(signedUrl, file, { ...options, ...(onProgress && { onProgress }) })
  await rest.call(attachments.create, { ...record, body: { name, key, attachmentId } }, options)
  return { _id: attachmentId, name }
}

type Sending = { readonly report: (sent: number) => void; readonly signal: AbortSignal | undefined }

/** Times that the bytes are sent again while the storage is busy or unreachable. */
const retriesMax = 3

async function putBytes(url: string, bytes: Blob, { onProgress, signal }: Omit<UploadOptions, 'name'>): Promise<void> {
  const send = 'XMLHttpRequest' in globalThis ? sendByXhr : sendByFetch
  let reported = 0
  const report = (sent: number): void => {
    if (sent <= reported || sent >= bytes.size) return
    reported = sent
    onProgress?.(sent, bytes.size)
  }
  for (let failures = 0; ; failures++) {
    const failure = await failureOf(url, send(url, bytes, { report, signal }), signal)
    if (failure === undefined) return onProgress?.(bytes.size, bytes.size)
    if (failures === retriesMax || !mayPass(failure)) throw failure
    await pause(waitMs(failures), signal)
  }
}

type Failure = KontorError | ConnectionFailed

/** Returns the reason why bytes were not stored; undefined if they were. */
async function failureOf(
  url: string,
  sending: Promise<number>,
  signal: AbortSignal | undefined,
): Promise<Failure | undefined> {
  try {
    const status = await sending
    return status >= 200 && status <= 299 ? undefined : new KontorError(`PUT ${withoutQuery(url)}`, status, [])
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    return new ConnectionFailed(withoutQuery(url), error)
  }
}

const mayPass = (failure: Failure): boolean => failure instanceof ConnectionFailed || isPassing(failure.status)

const typeOf = ({ type }: Blob): string => (type === '' ? 'application/octet-stream' : type)

async function sendByFetch(url: string, body: Blob, { signal }: Sending): Promise<number> {
  const init = { method: 'PUT', headers: { 'Content-Type': typeOf(body) }, body, signal: signal ?? null }
  return (await fetch(url, init)).status
}

/** The part of the browser's own that is used here: `fetch` reports no progress of what it sends. */
type Xhr = EventTarget & {
  readonly upload: EventTarget
  readonly status: number
  readonly open: (method: string, url: string) => void
  readonly setRequestHeader: (name: string, value: string) => void
  readonly send: (body: Blob) => void
  readonly abort: () => void
}

const sendByXhr = (url: string, body: Blob, { report, signal }: Sending): Promise<number> =>
  new Promise((resolve, reject) => {
    const { XMLHttpRequest } = globalThis as unknown as { readonly XMLHttpRequest: new () => Xhr }
    const xhr = new XMLHttpRequest()
    const fail = (): void => reject(new Error('the connection broke'))
    xhr.upload.addEventListener('progress', (event) => report((event as Event & Progress).loaded))
    xhr.addEventListener('load', () => resolve(xhr.status))
    xhr.addEventListener('error', fail)
    xhr.addEventListener('abort', fail)
    const abort = (): void => xhr.abort()
    signal?.addEventListener('abort', abort, { once: true })
    xhr.addEventListener('loadend', () => signal?.removeEventListener('abort', abort))
    xhr.open('PUT', url)
    xhr.setRequestHeader('Content-Type', typeOf(body))
    if (signal?.aborted === true) fail()
    else xhr.send(body)
  })

type Progress = { readonly loaded: number }
