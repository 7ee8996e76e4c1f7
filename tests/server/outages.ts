import { expect } from 'vitest'
import type { TestApp } from '../harness/app.ts'
import { say } from '../harness/long-run.ts'
import { startServer } from '../harness/server-process.ts'
import { Writers } from '../harness/writers.ts'

/** Changes that must go through after the last outage. */
const afterwards = 50

/**
 * Two servers under the load of some writers, while something happens to their database; expects that both stay up,
 * that
 * nothing which was answered is lost or doubled, and that no other answer than 503 with `Retry-After` was given
 * meanwhile.
 */
export async function expectServersToSurvive({
  app,
  writers: count,
  outages,
}: {
  readonly app: TestApp
  readonly writers: number
  readonly outages: () => Promise<void>
}): Promise<void> {
  const servers = await Promise.all([startServer(app.databaseUrl), startServer(app.databaseUrl)])
  const writers = new Writers({
    baseUrls: () => servers.map(({ baseUrl }) => baseUrl),
    credentials: app.credentials,
    count,
  })
  writers.start()
  await writers.progress(count)
  await outages()
  await writers.progress(afterwards)
  await writers.stop()
  say(`answers: ${JSON.stringify([...writers.statuses])}`)
  expect(writers.faults).toEqual([])
  for (const { baseUrl, output, terminate } of servers) {
    expect(await writers.differences(baseUrl)).toEqual([])
    expect(output()).not.toMatch(/"level":[56]0/)
    expect(await terminate()).toBe(0)
  }
}
