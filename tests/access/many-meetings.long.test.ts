import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { grantOf, share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp({ fieldIndexThreshold: 10 })

/** More than are sorted for a page: an index is walked in its order, and each of its rows looked at. */
const batches = 21
const batch = 1000

const titleOf = (index: number): string => `M${String(index).padStart(6, '0')}`

test(
  'a long walk through meetings passes over those that are private, but for who owns or was granted them',
  { timeout: 300_000 },
  async () => {
    await app.startJobs()
    const { createMany } = recordsOf(app, 'admin')
    // The first ones of the walk, of which the member owns one and is granted another.
    const [theirs] = await recordsOf(app, 'member').createMany('meeting', [
      { title: titleOf(7), visibility: 'private' },
    ])
    const first = await createMany(
      'meeting',
      Array.from({ length: 50 }, (_, index) => ({ title: titleOf(index), visibility: 'private' })),
    )
    for (let number = 1; number <= batches; number++)
      await createMany(
        'meeting',
        Array.from({ length: batch }, (_, index) => ({ title: titleOf(number * batch + index) })),
      )
    await share(app.api.post, `meeting/records/${first[3]?.id}`, app.userIds.member, 'view', 'admin')
    expect(
      (await app.api.post('/workspaces/acme/objects/meeting/access', { body: { data: grantOf('workspace', 'view') } }))
        .status,
    ).toBe(201)
    await app.indexes.ready()

    const page = async (as: 'admin' | 'member' | 'viewer', query: Record<string, string>) => {
      const { status, body } = await recordsOf(app, as).list('meeting', {
        'page[limit]': 3,
        'sortOrder[column]': 'title',
        'sortOrder[dir]': 'ASC',
        ...query,
      })
      expect(status, JSON.stringify(body)).toBe(200)
      return [body.data.map(({ attributes }: Json) => attributes.title), body.meta.total_records]
    }
    const open = batches * batch
    const asked = { 'filter[title][Starts with]': 'M' }
    for (const query of [{}, asked]) {
      expect(await page('viewer', query)).toEqual([[1000, 1001, 1002].map(titleOf), open])
      expect(await page('member', query)).toEqual([[3, 7, 1000].map(titleOf), open + 2])
      expect(await page('admin', query)).toEqual([[0, 1, 2].map(titleOf), open + 51])
    }
    await recordsOf(app, 'member').remove('meeting', [theirs?.id])
    expect(await page('member', {})).toEqual([[3, 1000, 1001].map(titleOf), open + 1])
  },
)
