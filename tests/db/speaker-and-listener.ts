import { expect } from 'vitest'
import type { Topic } from '../../packages/server/src/db/published-topics.ts'
import type { Database } from '../../packages/server/src/db/tx.ts'
import { freshUrl, open } from './fresh.ts'

export const publish = (database: Database, ...topics: Topic[]): Promise<void> =>
  database.write(async (tx) => topics.forEach((topic) => tx.publish(topic)))

/** Counts how often a database hears of a topic. */
export function hearing(database: Database, topic: Topic, reach?: 'here' | 'everywhere') {
  let times = 0
  database.subscribe(topic, () => times++, reach)
  return { times: () => times, forget: () => void (times = 0) }
}

/** The time that a notice may take: it ends what hangs, and judges nothing. */
export const soon = { timeout: 30_000, interval: 10 }

/** Two that share a database, of which the second listens. */
export async function two() {
  const url = await freshUrl()
  const [speaker, listener] = [open(url), open(url)]
  const jobs = hearing(listener, 'jobs', 'everywhere')
  // It hears of everything once when it begins to listen.
  await expect.poll(jobs.times, soon).toBe(1)
  jobs.forget()
  return { speaker, listener, jobs }
}
