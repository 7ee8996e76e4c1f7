import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { peakMemory } from '../harness/memory.ts'
import { openAnswer } from '../harness/open-answer.ts'
import { recordsOf } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const lists = listsOf(app)

const many = 50_000
const atOnce = 10_000

/** The difference that an earlier or later garbage collection makes. */
const marginMiB = 150

test.runIf(process.platform === 'linux')(
  'a file of 50,000 records takes no more memory than one of a hundred',
  { timeout: 240_000 },
  async () => {
    const { id: all } = await lists.create('company')
    const { id: few } = await lists.create('company')
    const { id: some } = await lists.create('company')
    for (let start = 0; start < many; start += atOnce) {
      const made = await recordsOf(app, 'memberKey').createMany(
        'company',
        Array.from({ length: atOnce }, (_, index) => ({ name: `Company ${start + index}` })),
      )
      const ids = made.map((one) => one.id as string)
      await lists.add('company', all, ids)
      if (start > 0) continue
      await lists.add('company', few, ids.slice(0, 100))
      await lists.add('company', some, ids.slice(0, 5000))
    }
    const { baseUrl, pid } = await startServer(app.databaseUrl)
    const server = { baseUrl, credentials: app.credentials }
    const ask = async (list: string): Promise<number> => {
      let lines = 0
      for await (const chunk of await openAnswer(server, `${lists.path('company', list)}/rows/csv`, { method: 'POST' }))
        for (const byte of chunk as Buffer) if (byte === 10) lines++
      return lines
    }
    // Whatever is made once is made now.
    await ask(some)
    await ask(some)
    const small = await peakMemory(pid, async () => expect(await ask(few)).toBe(101))
    const large = await peakMemory(pid, async () => expect(await ask(all)).toBe(many + 1))
    expect(large - small).toBeLessThan(marginMiB)
    const stalled = await peakMemory(pid, async () => {
      const answer = await openAnswer(server, `${lists.path('company', all)}/rows/csv`, { method: 'POST' })
      await sleep(2000)
      answer.destroy()
    })
    expect(stalled - small).toBeLessThan(marginMiB)
  },
)
