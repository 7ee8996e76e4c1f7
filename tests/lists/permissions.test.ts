import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { listsOf } from './lists.ts'

const app = await startApp()
const lists = listsOf(app)
const openToEdit = 'workspace_edit'

const asked = async (id: string, as: 'admin' | 'member' | 'viewer' | 'workspaceKey') => [
  (await lists.get('person', id, { as })).status,
  (await lists.records('person', id, {}, { as })).status,
  (await lists.patch('person', id, { title: `By ${as}` }, { as })).status,
  (await lists.patch('person', id, { permission: 'private', rank: 0 }, { as, headers: { 'If-Match': '"0"' } })).status,
  (await lists.all({ 'page[limit]': 1000 }, { as })).body.data.some((list: Json) => list.id === id),
]

describe('who may what', () => {
  test('a private list is its owners and the admins', async () => {
    const { id } = await lists.create('person')
    expect(await asked(id, 'member')).toEqual([200, 200, 200, 412, true])
    expect(await asked(id, 'admin')).toEqual([200, 200, 200, 412, true])
    for (const as of ['viewer', 'workspaceKey'] as const)
      expect((await asked(id, as)).toSpliced(2, 2)).toEqual([404, 404, false])
    const { id: own } = await lists.create('person', {}, { as: 'admin' })
    expect(await asked(own, 'member')).toEqual([404, 404, 404, 404, false])
  })

  test(
    'one of the workspace is seen by all of it, and one for editing changed by its members; its permission and ' +
      'its end are the owners',
    async () => {
      const { id } = await lists.create('person', { permission: 'workspace' }, { as: 'admin' })
      expect(await asked(id, 'member')).toEqual([200, 200, 403, 403, true])
      expect(await asked(id, 'viewer')).toEqual([200, 200, 403, 403, true])
      await lists.patch('person', id, { permission: openToEdit }, { as: 'admin' })
      expect(await asked(id, 'member')).toEqual([200, 200, 200, 403, true])
      expect(await asked(id, 'workspaceKey')).toEqual([200, 200, 200, 403, true])
      expect((await lists.remove('person', id)).status).toBe(403)
      expect((await lists.remove('person', id, { as: 'admin' })).status).toBe(202)
    },
  )

  test('a list is a list of its own object alone', async () => {
    const { id } = await lists.create('person')
    for (const answer of [
      await lists.get('company', id),
      await lists.records('company', id),
      await lists.patch('company', id, { title: 'x' }),
    ])
      expect(answer.status).toBe(404)
  })
})
