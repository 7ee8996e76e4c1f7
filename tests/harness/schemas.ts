import type { RequestOptions } from './api.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './http.ts'
import { nextNumber } from './records.ts'

export const schemasPath = '/workspaces/acme/schemas'
const objectPath = (object: string): string => `${schemasPath}/objects/${object}`

/** Short forms for what most tests of schemas begin with. */
export function schemasOf({ api }: Pick<TestApp, 'api'>) {
  const post = (body: Json, options: RequestOptions = {}): Promise<Answer> => api.post(`${schemasPath}/objects`, { body, ...options })
  /** Makes an object with these fields, and says what it is called; throws where it was refused. */
  const make = async (properties: Json = {}, more: Json = {}): Promise<string> => {
    const { status, body } = await post({ name: `Thing ${nextNumber()}`, plural: 'Things', properties, ...more })
    if (status !== 201) throw new Error(`no object: ${JSON.stringify(body)}`)
    return body.data.attributes.title
  }
  const get = async (object: string, options: RequestOptions = {}): Promise<Json> => (await api.get(objectPath(object), options)).body.data.attributes
  return { post, make, get }
}

/** What is wrong, as `pointer: text`. */
export const faultsOf = ({ body }: Answer): string[] => (body?.errors ?? []).map(({ source, detail }: Json) => `${source?.pointer}: ${detail}`)
