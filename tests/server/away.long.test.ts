import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { longRun, say } from '../harness/long-run.ts'
import { terminateBackends } from '../harness/postgres.ts'
import { startServer } from '../harness/server-process.ts'
import { Writers } from '../harness/writers.ts'

const roundMs = 700

test.runIf(inject('database') === 'postgres')('two servers whose connections are terminated again and again under load stay up, and lose and double nothing', async () => {
  const { rounds } = longRun(40)
  const app = await startApp()
  const servers = await Promise.all([startServer(app.databaseUrl), startServer(app.databaseUrl)])
  const writers = new Writers({ baseUrls: () => servers.map(({ baseUrl }) => baseUrl), credentials: app.credentials, count: 24 })
  writers.start()
  let terminated = 0
  for (let round = 1; round <= rounds; round++) {
    await sleep(roundMs)
    terminated += await terminateBackends(app.databaseUrl)
  }
  await writers.progress(100)
  await writers.stop()
  say(`${terminated} backends terminated; answers: ${JSON.stringify([...writers.statuses])}`)
  expect(writers.faults).toEqual([])
  for (const { baseUrl, output, terminate } of servers) {
    expect(await writers.differences(baseUrl)).toEqual([])
    expect(output()).not.toMatch(/unhandled|unexpected error|request failed/)
    expect(await terminate()).toBe(0)
  }
})
