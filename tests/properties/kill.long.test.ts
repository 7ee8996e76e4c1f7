import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { apiOf } from '../harness/api.ts'
import type { Json } from '../harness/http.ts'
import { recordsPath, resourcesPath } from '../harness/records.ts'
import { startServer } from '../harness/server-process.ts'

const app = await startApp()

const batches = Array.from({ length: 1000 }, (_, batch) => batch)
const batchSize = 10
const rowsOf = (batch: number) =>
  Array.from({ length: batchSize }, (_, row) => ({
    type: 'person',
    attributes: {
      job_title: `Batch ${batch}`,
      name: { first_name: `Row ${row}`, last_name: `Batch ${batch}` },
      email_addresses: { items: [`batch-${batch}-row-${row}@example.com`] },
    },
  }))

/** Sends batches, sixteen at a time, each under its own Idempotency-Key; those that were answered. */
async function sendAll(
  baseUrl: string,
  onAnswer: (count: number) => void,
): Promise<{ answered: number[]; statuses: Set<number> }> {
  const api = apiOf(app.http, baseUrl, app.credentials)
  const waiting = [...batches]
  const answered: number[] = []
  const statuses = new Set<number>()
  const sender = async () => {
    for (let batch = waiting.shift(); batch !== undefined; batch = waiting.shift()) {
      const options = {
        as: 'adminKey',
        body: { data: rowsOf(batch) },
        headers: { 'Idempotency-Key': `batch-${batch}` },
      } as const
      const answer = await api.post(`${recordsPath('person')}/bulk`, options).catch(() => undefined)
      if (answer === undefined) return
      statuses.add(answer.status)
      if (answer.status === 201) answered.push(batch)
      onAnswer(answered.length)
    }
  }
  await Promise.all(Array.from({ length: 16 }, sender))
  return { answered, statuses }
}

/** Counts the records of each batch, by walking the whole list. */
async function recordsByBatch(): Promise<Map<number, number>> {
  const found = new Map<number, number>()
  let url: string | null = `${resourcesPath('person')}?page[limit]=1000`
  while (url !== null) {
    const { body }: { body: Json } = await app.api.get(url)
    for (const { attributes } of body.data) {
      const batch = Number(attributes.job_title.slice('Batch '.length))
      found.set(batch, (found.get(batch) ?? 0) + 1)
    }
    url = body.links.next
  }
  return found
}

const total = async (query: Record<string, string> = {}): Promise<number> =>
  (await app.api.get(resourcesPath('person'), { query: { 'page[limit]': 1, ...query } })).body.meta.total_records

test(
  'a server that is killed during 1,000 bulk writes keeps what it answered; what is there is whole; sent ' +
    'again, nothing is there twice',
  { timeout: 120_000 },
  async () => {
    const server = await startServer(app.databaseUrl)
    const { answered, statuses } = await sendAll(server.baseUrl, (count) => void (count === 300 && server.kill()))
    expect([...statuses]).toEqual([201])
    expect(answered.length).toBeGreaterThanOrEqual(300)
    expect(answered.length).toBeLessThan(1000)

    const found = await recordsByBatch()
    expect([...found].filter(([, count]) => count !== batchSize)).toEqual([])
    expect(answered.filter((batch) => !found.has(batch))).toEqual([])
    expect(found.size - answered.length, 'at most those under way').toBeLessThanOrEqual(16)
    expect(await total(), 'the counter').toBe(found.size * batchSize)
    const created = (await app.events()).filter(({ type }) => type === 'record.created')
    expect(created.length, 'the outbox').toBe(found.size * batchSize)
    for (const batch of [...found.keys()].slice(-20))
      expect(await total({ 'filter[email_addresses]': `batch-${batch}-row-7@example.com` })).toBe(1)

    const next = await startServer(app.databaseUrl)
    const again = await sendAll(next.baseUrl, () => {})
    expect([...again.statuses]).toEqual([201])
    expect(again.answered).toHaveLength(1000)
    expect([...(await recordsByBatch()).values()].every((count) => count === batchSize)).toBe(true)
    expect(await total()).toBe(1000 * batchSize)
    expect(await next.terminate()).toBe(0)
  },
)
