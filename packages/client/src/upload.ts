import type { Attachment } from '@kontor/contract'
import { ConnectionFailed, KontorError } from './errors.ts'
import { attachments } from './operations.ts'
import type { RestClient } from './rest.ts'
import { withoutQuery } from './sender.ts'

/** The record that a file is attached to. */
export type AttachTo = { readonly workspace: string; readonly object: string; readonly id: string }

export type UploadOptions = {
  /** A `File` has one of its own. */
  readonly name?: string
  /** Told how many bytes are sent: as they go in a browser, elsewhere when all are. */
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
  await putBytes(signedUrl, file, { onProgress, signal })
  await rest.call(attachments.create, { ...record, body: { name, key, attachmentId } }, options)
  return { _id: attachmentId, name }
}

type Sending = { readonly onProgress: UploadOptions['onProgress']; readonly signal: AbortSignal | undefined }

async function putBytes(url: string, bytes: Blob, { onProgress, signal }: Sending): Promise<void> {
  const type = bytes.type === '' ? 'application/octet-stream' : bytes.type
  const send = 'XMLHttpRequest' in globalThis ? sendByXhr : sendByFetch
  const status = await send(url, type, bytes, { onProgress, signal }).catch((error: unknown) => {
    throw signal?.aborted === true ? signal.reason : new ConnectionFailed(withoutQuery(url), error)
  })
  if (status < 200 || status > 299) throw new KontorError(`PUT ${withoutQuery(url)}`, status, [])
  onProgress?.(bytes.size, bytes.size)
}

async function sendByFetch(url: string, type: string, body: Blob, { signal }: Sending): Promise<number> {
  const init = { method: 'PUT', headers: { 'Content-Type': type }, body, signal: signal ?? null }
  return (await fetch(url, init)).status
}

/** The part of the browser's own that is used here: `fetch` tells no progress of what it sends. */
type Xhr = EventTarget & {
  readonly upload: EventTarget
  readonly status: number
  readonly open: (method: string, url: string) => void
  readonly setRequestHeader: (name: string, value: string) => void
  readonly send: (body: Blob) => void
  readonly abort: () => void
}

const sendByXhr = (url: string, type: string, body: Blob, { onProgress, signal }: Sending): Promise<number> =>
  new Promise((resolve, reject) => {
    const { XMLHttpRequest } = globalThis as unknown as { readonly XMLHttpRequest: new () => Xhr }
    const xhr = new XMLHttpRequest()
    const fail = (): void => reject(new Error('the connection broke'))
    xhr.upload.addEventListener('progress', (event) => onProgress?.((event as Event & Progress).loaded, body.size))
    xhr.addEventListener('load', () => resolve(xhr.status))
    xhr.addEventListener('error', fail)
    xhr.addEventListener('abort', fail)
    signal?.addEventListener('abort', () => xhr.abort(), { once: true })
    xhr.open('PUT', url)
    xhr.setRequestHeader('Content-Type', type)
    if (signal?.aborted === true) fail()
    else xhr.send(body)
  })

type Progress = { readonly loaded: number }
