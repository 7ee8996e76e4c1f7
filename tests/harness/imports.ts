import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'
import { until } from './until.ts'

const path = '/workspaces/acme/imports'

/** Imports files, as clients do it: request an upload, send the bytes, start the import. */
export function importsOf(
  { api, http, startJobs }: Pick<TestApp, 'api' | 'http' | 'startJobs'>,
  as: Caller = 'member',
) {
  const upload = async (content: string | Buffer, name = 'contacts.csv'): Promise<string> => {
    const { status, body } = await api.post(`${path}/uploads`, { as, body: { name } })
    if (status !== 200) throw new Error(`no upload: ${JSON.stringify(body)}`)
    const sent = await http.send({ method: 'PUT', url: body.data.signedUrl, body: content })
    if (sent.status !== 200) throw new Error(`not uploaded: ${sent.status}`)
    return body.data.upload_id
  }
  const start = async (content: string | Buffer, options: Json, query: Json = {}) =>
    api.post(path, { as, query, body: { upload_id: await upload(content), ...options } })
  const get = (id: string) => api.get(`${path}/${id}`, { as })
  /** Waits for an import to end, and returns it. */
  const ended = async (id: string): Promise<Json> => {
    await startJobs()
    return until(async () => {
      const { attributes } = (await get(id)).body.data
      return attributes.ended_at !== null && attributes
    })
  }
  return {
    ended,
    upload,
    start,
    get,
    create: (body: Json) => api.post(path, { as, body }),
    cancel: (id: string) => api.post(`${path}/${id}/cancel`, { as }),
    /** Reverts an import, and returns how that ended. */
    async revert(id: string): Promise<Json> {
      const { status, body } = await api.post(`${path}/${id}/revert`, { as })
      if (status !== 202) throw new Error(`not reverted: ${JSON.stringify(body)}`)
      return until(async () => {
        const { attributes } = (await api.get(`${path}/${id}/revert`, { as })).body.data
        return attributes.ended_at !== null && attributes
      })
    },
    list: (query: Json = {}) => api.get(path, { as, query }),
    rejects: async (id: string): Promise<string> => (await api.get(`${path}/${id}/rejects`, { as })).body,
    /** Imports a file, and returns the import when it has ended. */
    async run(content: string | Buffer, options: Json, query: Json = {}): Promise<Json> {
      const { status, body } = await start(content, options, query)
      if (status !== 202) throw new Error(`no import: ${JSON.stringify(body)}`)
      return ended(body.data.id)
    },
  }
}

/** A mapping, as pairs of columns and fields. */
export const mappingOf = (pairs: Readonly<Record<string, string>>) =>
  Object.entries(pairs).map(([source, field]) => ({ source, field }))
