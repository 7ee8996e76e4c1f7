import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, endedRuns, path } = workflowsOf(app)

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
