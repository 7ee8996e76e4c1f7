import type { RequestOptions } from './api.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './http.ts'
import type { Caller } from './people.ts'

const W = '/workspaces/acme'
export const recordsPath = (object: string): string => `${W}/objects/${object}/records`
export const resourcesPath = (object: string): string => `${W}/objects/${object}/resources`

/** An id that nothing has. */
export const unknownId = '019b2f6e-7a00-7000-8000-00000000dead'

let serial = 0

/** Another number each time, for values that must not be there already. */
export const nextNumber = (): number => ++serial

export const freshAddress = (): string => `someone-${nextNumber()}@example.com`

/** Short forms for what most tests of records begin with. */
export function recordsOf({ api }: Pick<TestApp, 'api'>, as: Caller = 'member') {
  const post = (object: string, attributes: Json, more: Json = {}, options: RequestOptions = {}): Promise<Answer> =>
    api.post(recordsPath(object), { as, body: { data: { type: object, attributes }, ...more }, ...options })
  /** Creates a record and returns the resource; throws where it was refused. */
  const create = async (object: string, attributes: Json, options?: RequestOptions): Promise<Json> => {
    const { status, body } = await post(object, attributes, {}, options)
    if (status !== 201) throw new Error(`no ${object}: ${JSON.stringify(body)}`)
    return body.data
  }
  const createMany = async (object: string, rows: readonly Json[]): Promise<Json[]> => {
    const { status, body } = await api.post(`${recordsPath(object)}/bulk`, {
      as,
      body: { data: rows.map((attributes) => ({ type: object, attributes })) },
    })
    if (status !== 201) throw new Error(`no ${object} records: ${JSON.stringify(body).slice(0, 500)}`)
    return body.data
  }
  const patch = (
    object: string,
    id: string,
    attributes: Json,
    more: Json = {},
    options: RequestOptions = {},
  ): Promise<Answer> =>
    api.patch(`${recordsPath(object)}/${id}`, { as, body: { data: { type: object, attributes }, ...more }, ...options })
  const get = (object: string, id: string, options: RequestOptions = {}): Promise<Answer> =>
    api.get(`${recordsPath(object)}/${id}`, { as, ...options })
  const list = (object: string, query: RequestOptions['query'] = {}, options: RequestOptions = {}): Promise<Answer> =>
    api.get(resourcesPath(object), { as, query, ...options })
  const remove = (object: string, ids: readonly string[], options: RequestOptions = {}): Promise<Answer> =>
    api.delete(recordsPath(object), { as, body: { items: ids }, ...options })
  const restore = (object: string, ids: readonly string[], options: RequestOptions = {}): Promise<Answer> =>
    api.post(`${recordsPath(object)}/restore`, { as, body: { items: ids }, ...options })
  const merge = (
    object: string,
    id: string,
    sources: readonly string[],
    options: RequestOptions = {},
  ): Promise<Answer> =>
    api.post(`${recordsPath(object)}/${id}/merges`, {
      as,
      body: { data: { type: object, attributes: { sources } } },
      ...options,
    })
  const count = async (object: string): Promise<number> =>
    (await list(object, { 'page[limit]': 1 }, { as: 'admin' })).body.meta.total_records
  return { post, create, createMany, patch, get, list, remove, restore, merge, count }
}

/** The pointers of an error body, in order. */
export const pointersOf = ({ body }: Answer): string[] => body.errors.map((error: Json) => error.source?.pointer)
