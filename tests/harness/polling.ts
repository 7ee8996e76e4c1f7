import { setTimeout as sleep } from 'node:timers/promises'
import type { QueryText } from './api.ts'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import { resourcesPath } from './records.ts'

const beginningOfTime = '1970-01-01T00:00:00.000Z'

/** The way a client polls: the time, the order, and the size of pages. */
export type Polling = {
  readonly by?: '_updated_at' | '_created_at'
  readonly query?: QueryText
  readonly pauseMs?: number
}

/**
 * A client with a copy of an object's records, as the guide says: asks for what is later than the latest time seen
 * so far, and follows the links to the end.
 */
export function follower(
  { api }: Pick<TestApp, 'api'>,
  object: string,
  { by = '_updated_at', query = {}, pauseMs = 0 }: Polling = {},
) {
  const copy = new Map<string, Json>()
  let since = beginningOfTime
  let polls = 0
  const poll = async (): Promise<void> => {
    const seen: Json[] = []
    let next: string | null = resourcesPath(object)
    for (let first = true; next !== null; first = false) {
      const answer: Json = await api.get(next, {
        as: 'memberKey',
        ...(first && { query: { [`filter[${by}][Is after]`]: since, ...query } }),
      })
      if (answer.status !== 200) throw new Error(`not polled: ${JSON.stringify(answer.body)}`)
      seen.push(...answer.body.data.map(({ attributes }: Json) => attributes))
      next = answer.body.links.next
    }
    for (const attributes of seen) {
      if (attributes[by] > since) since = attributes[by]
      copy.set(attributes._id, attributes)
    }
    polls++
  }
  /** Polls until told to stop, and once more. */
  const follow = async (stop: { readonly stopped: boolean }): Promise<void> => {
    while (!stop.stopped) {
      await poll()
      await sleep(pauseMs)
    }
    await poll()
  }
  return { poll, follow, copy, polls: () => polls, since: () => since }
}
