import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { peakMemory } from '../harness/memory.ts'
import { openAnswer, restOf } from '../harness/open-answer.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()

const many = 100_000
const atOnce = 10_000

/** The difference that an earlier or later garbage collection makes. The records of the answer alone take 300 MiB. */
const marginMiB = 150

test.skipIf(process.platform !== 'linux')(
  'an answer of 100,000 records takes no more memory than one of a hundred',
  // A peak depends on when garbage is collected; what an answer keeps is there each time.
  { timeout: 180_000, retry: 2 },
  async () => {
    for (let start = 0; start < many; start += atOnce)
      await recordsOf(app, 'memberKey').createMany(
        'company',
        Array.from({ length: atOnce }, (_, index) => ({ name: `Company ${start + index}` })),
      )
    const { baseUrl, pid } = await startServer(app.databaseUrl)
    const server = { baseUrl, credentials: app.credentials }
    const ask = async (limit: number) => {
      const answer = await openAnswer(server, resourcesPath('company'), { query: { 'page[limit]': limit } })
      let bytes = 0
      for await (const chunk of answer) bytes += (chunk as Buffer).length
      return bytes
    }
    const stall = async () => {
      const answer = await openAnswer(server, resourcesPath('company'), { query: { 'page[limit]': many } })
      await sleep(3000)
      answer.destroy()
    }
    // Whatever is made once is made now.
    await ask(1000)
    await ask(2000)
    const few = await peakMemory(pid, async () => void (await ask(100)))
    const all = await peakMemory(pid, async () => expect(await ask(many)).toBeGreaterThan(40_000_000))
    const stalled = await peakMemory(pid, stall)
    expect(all - few).toBeLessThan(marginMiB)
    expect(stalled - few).toBeLessThan(marginMiB)
    const whole = JSON.parse(
      await restOf(
        await openAnswer(server, resourcesPath('company'), {
          query: { 'page[limit]': many, 'page[total]': 'none', 'fields[company]': 'name' },
        }),
      ),
    )
    expect(new Set(whole.data.map(({ id }: { id: string }) => id)).size).toBe(many)
  },
)
