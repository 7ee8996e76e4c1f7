import type { RequestOptions } from '../harness/api.ts'
import type { TestApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'

const W = '/workspaces/acme'

const path = (object: string, id = ''): string => `${W}/objects/${object}/lists${id && `/${id}`}`

const entries = (object: string, ids: readonly string[]): Json => ({ data: ids.map((id) => ({ type: object, id })) })

/** Short forms for what most tests of lists begin with. */
export function listsOf({ api }: Pick<TestApp, 'api'>, as: Caller = 'member') {
  const post = (object: string, body: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.post(path(object), { as, body, ...options })
  /** Creates a list and returns the resource; throws where it was refused. */
  const create = async (object: string, body: Json = {}, options: RequestOptions = {}): Promise<Json> => {
    const made = await post(
      object,
      { title: 'A list', type: body.query === undefined ? 'static' : 'dynamic', state: 'draft', ...body },
      options,
    )
    if (made.status !== 201) throw new Error(`no list: ${JSON.stringify(made.body)}`)
    return made.body.data
  }
  const get = (object: string, id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.get(path(object, id), { as, ...options })
  const patch = (object: string, id: string, body: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.patch(path(object, id), { as, body, ...options })
  const remove = (object: string, id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.delete(path(object, id), { as, ...options })
  const publish = (object: string, id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.post(`${path(object, id)}/publish`, { as, ...options })
  const unpublish = (object: string, id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.post(`${path(object, id)}/unpublish`, { as, ...options })
  const all = (query: RequestOptions['query'] = {}, options: RequestOptions = {}): Promise<Answer> =>
    api.get(`${W}/lists`, { as, query, ...options })
  const records = (
    object: string,
    id: string,
    query: RequestOptions['query'] = {},
    options: RequestOptions = {},
  ): Promise<Answer> => api.get(`${path(object, id)}/resources`, { as, query, ...options })
  /** The ids of all records that a caller sees in a list, and what the answer counts. */
  const members = async (
    object: string,
    id: string,
    options: RequestOptions = {},
  ): Promise<{ ids: string[]; total: number }> => {
    const { status, body } = await records(object, id, { 'page[limit]': 1000 }, options)
    if (status !== 200) throw new Error(`no records: ${JSON.stringify(body)}`)
    return { ids: body.data.map((one: Json) => one.id), total: body.meta.total_records }
  }
  const add = (object: string, id: string, ids: readonly string[], options: RequestOptions = {}): Promise<Answer> =>
    api.post(`${path(object, id)}/resources`, { as, body: entries(object, ids), ...options })
  const take = (object: string, id: string, ids: readonly string[], options: RequestOptions = {}): Promise<Answer> =>
    api.delete(`${path(object, id)}/resources`, { as, body: entries(object, ids), ...options })
  return { path, post, create, get, patch, remove, publish, unpublish, all, records, members, add, take }
}
