import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, endedRuns, runIn, path, runsPath } = workflowsOf(app)

test('pages of runs have an order and exact totals, for admins and for the member as whom they run', async () => {
  const { as } = await app.addMember('member', 'runner')
  const { id } = await create({ name: 'By hand', enabled: true, trigger: { plugin_id: 'on:manual:execution' } }, as)
  for (const number of [1, 2, 3, 4, 5]) await app.api.post(`${path}/${id}/runs`, { as, body: { data: { number } } })
  const ids = (await endedRuns(id, 5)).map((run: Json) => run.id)
  const pages: readonly (readonly [query: string, ids: string[], total: number])[] = [
    ['page[limit]=2', [ids[4], ids[3]], 5],
    ['page[limit]=2&page[offset]=2', [ids[2], ids[1]], 5],
    ['page[limit]=2&page[offset]=1&sortOrder[column]=_created_at&sortOrder[dir]=ASC', [ids[1], ids[2]], 5],
    ['page[limit]=2&page[offset]=4&filter[status]=success', [ids[0]], 5],
    ['filter[status]=failed', [], 0],
    ['page[offset]=5', [], 5],
  ]
  for (const caller of ['admin' as const, as])
    for (const [query, expected, total] of pages) {
      const { body } = await app.api.get(`${path}/${id}/runs?${query}`, { as: caller })
      expect([body.data?.map((run: Json) => run.id), body.meta?.total_records], query).toEqual([expected, total])
    }
})

test('cancelling page by page along the links cancels each run', async () => {
  const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
  const { id } = await create({ name: 'Many', enabled: true, ...chain({ plugin_id: 'on:manual:execution' }, pause) })
  const begun: string[] = []
  for (let number = 0; number < 7; number++)
    begun.push((await app.api.post(`${path}/${id}/runs`, { body: {} })).body.data.id)
  for (const runId of begun) await runIn(runId, 'waiting')
  const cancelled: string[] = []
  for (let url: string | null = `${path}/${id}/runs?page[limit]=3&filter[status]=waiting`; url !== null;) {
    const { body } = await app.api.get(url.replace(app.baseUrl, ''))
    for (const { id: runId } of body.data) {
      await app.api.post(`${runsPath}/${runId}/cancel`)
      cancelled.push(runId)
    }
    url = body.links.next
  }
  expect(cancelled).toEqual(begun.toReversed())
})
