import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { withoutRecords } from '../harness/missing-table.ts'
import { restOf } from '../harness/open-answer.ts'
import { size, startWithMany } from './long-pages.ts'

const { app, records, openWhole } = await startWithMany()

describe('a reader', () => {
  afterEach(() => void vi.useRealTimers())

  test('a slow client holds no other up, and gets it all', async () => {
    const answer = await openWhole()
    await sleep(100)
    await withoutRecords(app.databaseUrl, async () => {})
    expect((await records.list('company', { 'page[limit]': 1 })).status).toBe(200)
    expect(JSON.parse(await restOf(answer)).data).toHaveLength(size)
  })

  test('who goes away ends the work', async () => {
    const answer = await openWhole()
    answer.destroy()
    await sleep(50)
    await withoutRecords(app.databaseUrl, () => sleep(300))
    expect(app.takeErrors()).toEqual([])
  })

  test('who stops reading is cut off after a minute', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const answer = await openWhole()
    for (let turn = 0; turn < 20; turn++) await records.list('company', { 'page[limit]': 1 })
    vi.advanceTimersByTime(59_000)
    expect(answer.readableAborted).toBe(false)
    vi.advanceTimersByTime(2000)
    await expect(restOf(answer)).rejects.toMatchObject({ code: 'ECONNRESET' })
  })
})
