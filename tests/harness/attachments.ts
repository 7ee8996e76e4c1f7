import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'

const pathOf = (object: string, id: string): string => `/workspaces/acme/objects/${object}/records/${id}/attachments`

/** Attaches files, as clients do it: ask for an upload, send the bytes, create the attachment. */
export function attachmentsOf(app: TestApp, as: Caller = 'member') {
  const begin = async (object: string, id: string, name: string, size_bytes?: number): Promise<Json> =>
    (await app.api.put(pathOf(object, id), { as, body: { name, size_bytes } })).body.data
  const send = (url: string, body: string | Buffer, headers: Record<string, string> = {}) =>
    app.http.send({ method: 'PUT', url, body, headers: { 'Content-Type': 'application/pdf', ...headers } })
  const finish = (object: string, id: string, { key, attachmentId }: Json, name: string) =>
    app.api.post(pathOf(object, id), { as, body: { name, key, attachmentId } })
  return {
    pathOf,
    begin,
    send,
    finish,
    list: (object: string, id: string, query: Json = {}) => app.api.get(pathOf(object, id), { as, query }),
    remove: (object: string, id: string, attachmentId: string) =>
      app.api.delete(`${pathOf(object, id)}/${attachmentId}`, { as }),
    urlOf: async (object: string, id: string, attachmentId: string): Promise<string> =>
      (await app.api.get(`${pathOf(object, id)}/${attachmentId}`, { as })).body.data?.url,
    /** Attaches a file; returns its id. */
    async attach(object: string, id: string, name: string, bytes: string | Buffer): Promise<string> {
      const upload = await begin(object, id, name)
      const sent = await send(upload.signedUrl, bytes)
      const { status, body } = await finish(object, id, upload, name)
      if (sent.status !== 200 || status !== 201)
        throw new Error(`not attached: ${sent.status} ${status} ${JSON.stringify(body)}`)
      return upload.attachmentId
    },
  }
}

/** A form as browsers send it: the fields, and the file last. */
export function formOf(fields: Readonly<Record<string, string>>, file: string | Buffer) {
  const boundary = '----kontor-boundary'
  const parts = Object.entries(fields).map(
    ([name, value]) => `--${boundary}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  )
  const head =
    `${parts.join('')}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="film.mp4"\r\n` +
    'Content-Type: video/mp4\r\n\r\n'
  return {
    body: Buffer.concat([Buffer.from(head), Buffer.from(file), Buffer.from(`\r\n--${boundary}--\r\n`)]),
    headers: { 'Content-Type': `multipart/form-data; boundary=${boundary}` },
  }
}
