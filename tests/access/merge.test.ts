import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const colleague = await app.addMember('member', 'colleague')
const meeting = async (...grants: readonly [string, 'view' | 'comment' | 'edit' | 'manage'][]): Promise<string> => {
  const { id } = await records.create('meeting', { title: 'Talk' })
  for (const [grantee, level] of grants) await share(api.post, `meeting/records/${id}`, grantee, level)
  return id
}
const grantsOf = async (id: string): Promise<Record<string, string>> =>
  Object.fromEntries((await api.get(`${recordsPath('meeting')}/${id}/access`)).body.data.map(({ attributes }: Json) => [attributes.grantee_id ?? 'workspace', attributes.access_level]))

test('each grantee has the highest level of all records that are merged, the workspace in lists too', async () => {
  const target = await meeting([colleague.id, 'edit'])
  const sources = [await meeting([colleague.id, 'view'], [userIds.viewer, 'view']), await meeting(['workspace', 'comment'], [colleague.id, 'comment'])]
  expect((await records.merge('meeting', target, sources)).status).toBe(204)
  expect(await grantsOf(target)).toEqual({ [colleague.id]: 'edit', [userIds.viewer]: 'view', workspace: 'comment' })
  for (const query of [{}, { 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' }] as const) {
    expect((await records.list('meeting', query, { as: 'workspaceKey' })).body.data.map(({ id }: Json) => id)).toEqual([target])
  }
  expect((await records.patch('meeting', target, { title: 'Ours' }, {}, { as: 'workspaceKey' })).status).toBe(403)
})

test('a record that needs a level which only one of them gives is not merged', async () => {
  const [target, source] = [await meeting([colleague.id, 'edit']), await meeting([colleague.id, 'view'])]
  expect((await records.merge('meeting', target, [source], { as: colleague.as })).status).toBe(403)
  expect((await records.merge('meeting', target, [await meeting()], { as: colleague.as })).status).toBe(404)
  expect(await grantsOf(source)).toEqual({ [colleague.id]: 'view' })
})
