import type { RequestOptions } from './api.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './http.ts'
import { recordsPath } from './records.ts'

/** Short forms for the feed of a record. */
export function activitiesOf({ api }: Pick<TestApp, 'api'>) {
  const list = (
    object: string,
    id: string,
    query: RequestOptions['query'] = {},
    options: RequestOptions = {},
  ): Promise<Answer> => api.get(`${recordsPath(object)}/${id}/activities`, { as: 'member', query, ...options })
  /** The whole feed, newest first. */
  const all = async (object: string, id: string, query: RequestOptions['query'] = {}): Promise<Json[]> =>
    (await list(object, id, query)).body.data
  /** By type, how many events each activity has, newest first. */
  const outline = async (object: string, id: string, query: RequestOptions['query'] = {}): Promise<string[]> =>
    (await all(object, id, query)).map(({ attributes }) => `${attributes.data[0].type} ${attributes.data.length}`)
  return { list, all, outline }
}
