import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { longRun, say } from '../harness/long-run.ts'
import { startServer } from '../harness/server-process.ts'
import { Writers } from '../harness/writers.ts'

const app = await startApp()

test('servers that are killed under load have made every change that they answered, and none twice', async () => {
  const { rounds, random } = longRun(25)
  let server = await startServer(app.databaseUrl)
  const writers = new Writers({
    baseUrls: () => [server.baseUrl],
    credentials: app.credentials,
    count: 12,
    mayBreak: true,
  })
  writers.start()
  for (let round = 1; round <= rounds; round++) {
    await writers.progress(1)
    await sleep(random.between(10, 1500))
    await server.kill()
    server = await startServer(app.databaseUrl)
  }
  await writers.stop()
  say(`answers: ${JSON.stringify([...writers.statuses])}`)
  expect(writers.faults).toEqual([])
  expect(await writers.differences(server.baseUrl)).toEqual([])
  expect(await server.terminate()).toBe(0)
})
