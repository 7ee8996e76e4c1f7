import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestOptions } from './api.ts'
import type { TestApp } from './app.ts'
import type { Answer, Json } from './http.ts'
import { nextNumber } from './records.ts'

export const schemasPath = '/workspaces/acme/schemas'
export const objectPath = (object: string): string => `${schemasPath}/objects/${object}`

/** Short forms for what most tests of schemas begin with. */
export function schemasOf({ api }: Pick<TestApp, 'api'>) {
  const post = (body: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.post(`${schemasPath}/objects`, { body, ...options })
  /** Makes an object with these fields, and says what it is called; throws where it was refused. */
  const make = async (properties: Json = {}, more: Json = {}): Promise<string> => {
    const { status, body } = await post({ name: `Thing ${nextNumber()}`, plural: 'Things', properties, ...more })
    if (status !== 201) throw new Error(`no object: ${JSON.stringify(body)}`)
    return body.data.attributes.title
  }
  const get = async (object: string, options: RequestOptions = {}): Promise<Json> =>
    (await api.get(objectPath(object), options)).body.data.attributes
  return { post, make, get }
}

/** The faults, as `pointer: text`. */
export const faultsOf = ({ body }: Answer): string[] =>
  (body?.errors ?? []).map(({ source, detail }: Json) => `${source?.pointer}: ${detail}`)

const ended = new Set(['completed', 'failed', 'cancelled'])

/** Short forms for changes of schemas and their tasks. */
export function changesOf({ api, startJobs }: Pick<TestApp, 'api' | 'startJobs'>) {
  const task = async (id: string): Promise<Json> => (await api.get(`/workspaces/acme/async-tasks/${id}`)).body.data
  /** Waits until a task has ended; its attributes. */
  const end = async (id: string, withinMs = 30_000): Promise<Json> => {
    await startJobs()
    const from = performance.now()
    for (;;) {
      const { attributes } = await task(id)
      if (ended.has(attributes.state)) return attributes
      if (performance.now() - from > withinMs) throw new Error(`a task has not ended: ${JSON.stringify(attributes)}`)
      await sleep(10)
    }
  }
  const put = (object: string, document: Json, options: RequestOptions = {}): Promise<Answer> =>
    api.put(objectPath(object), { body: document, ...options })
  /** Sends a whole document and waits for its task; the task's attributes. Throws where the document was refused. */
  const replace = async (object: string, document: Json): Promise<Json> => {
    const { status, body } = await put(object, document)
    if (status !== 200) throw new Error(`no change of ${object}: ${JSON.stringify(body)}`)
    return end(body.data.id)
  }
  /** Changes the fields of an object as they are now. */
  const edit = async (object: string, change: (properties: Json, document: Json) => void): Promise<Json> => {
    const document = (await api.get(objectPath(object))).body.data.attributes
    change(document.properties, document)
    return replace(object, document)
  }
  return { task, end, put, replace, edit }
}
