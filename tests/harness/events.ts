import { setTimeout as sleep } from 'node:timers/promises'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'

type Query = Readonly<Record<string, string>>

/** Reads the log of acme over the API. */
export function logOf({ api, startJobs }: TestApp) {
  let marks = 0
  const page = async (query: Query = {}, as: Caller = 'admin'): Promise<Json> => {
    const { status, body } = await api.get('/workspaces/acme/events', { as, query })
    if (status !== 200) throw new Error(`no events: ${JSON.stringify(body)}`)
    return body
  }
  /** Waits until everything so far has its number, and returns the last number: of two changes, the later is later. */
  const end = async (): Promise<number> => {
    await startJobs()
    const name = `Mark ${++marks} ${Math.random()}`
    await api.patch('/workspaces/acme', { body: { data: { type: 'workspace', attributes: { name } } } })
    for (;;) {
      const { meta } = await page({ limit: '1' })
      const { data } = await page({ after: String(Math.max(meta.first_sequence - 1, meta.last_sequence - 20)) })
      const mark = data.find(({ attributes }: Json) => attributes.data.name === name)
      if (mark !== undefined) return mark.attributes.sequence
      await sleep(20)
    }
  }
  /** All that a caller is told since a number, but for the names by which it is waited for. */
  const since = async (after: number, as: Caller = 'admin', query: Query = {}): Promise<Json[]> => {
    const until = (await end()) - 1
    const found: Json[] = []
    for (let at = after; at < until;) {
      const { data, meta } = await page({ ...query, after: String(at) }, as)
      found.push(...data)
      at = meta.next_after
    }
    return found
      .map(({ attributes }) => attributes)
      .filter(({ sequence, type }) => sequence <= until && type !== 'workspace.updated')
  }
  return { page, end, since }
}
