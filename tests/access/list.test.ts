import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)

const role = { source: 'role', access_level: 'manage', grant_id: null, grantee_type: null }
const owner = { ...role, source: 'owner' }

test('lists the grants, the oldest first, and says what the caller may do and why', async () => {
  const { id } = await records.create('meeting', { title: 'Talk' })
  const access = `${recordsPath('meeting')}/${id}/access`
  const [first, second] = [
    await share(api.post, `meeting/records/${id}`, userIds.viewer, 'edit'),
    await share(api.post, `meeting/records/${id}`, 'workspace', 'comment'),
  ]
  const toViewer = { source: 'grant', access_level: 'edit', grant_id: first, grantee_type: 'user' }
  const toAll = { source: 'grant', access_level: 'comment', grant_id: second, grantee_type: 'workspace' }
  const seenBy = async (as: Caller) => (await api.get(access, { as })).body
  const { data } = await seenBy('member')
  expect(
    data.map(({ id: grant, attributes }: { id: string; attributes: object }) => [grant, attributes]),
  ).toMatchObject([
    [first, { grantee_type: 'user', grantee_id: userIds.viewer, access_level: 'edit', _created_by: userIds.admin }],
    [second, { grantee_type: 'workspace', grantee_id: null, access_level: 'comment' }],
  ])
  for (const as of ['admin', 'viewer'] as const) expect((await seenBy(as)).data).toEqual(data)
  expect((await seenBy('member')).meta).toEqual({ viewerAccess: [owner, toAll] })
  expect((await seenBy('admin')).meta).toEqual({ viewerAccess: [role, toAll] })
  expect((await seenBy('viewer')).meta).toEqual({
    viewerAccess: [
      { ...toViewer, access_level: 'view' },
      { ...toAll, access_level: 'view' },
    ],
  })
})

test('is closed to those who may not see the record, and to workspace keys', async () => {
  const { id } = await records.create('meeting', {})
  const access = `${recordsPath('meeting')}/${id}/access`
  expect((await api.get(access, { as: 'viewer' })).status).toBe(404)
  expect((await api.get(access, { as: 'workspaceKey' })).status).toBe(403)
  expect((await api.get(`${access}/explain`, { as: 'viewer' })).status).toBe(404)
  expect((await api.get(`${access}/explain`, { as: 'workspaceKey' })).status).toBe(403)
})

test('what the object gives stands among the reasons', async () => {
  const { id } = await records.create('person', {}, { as: 'admin' })
  const { body } = await api.get(`${recordsPath('person')}/${id}/access`, { as: 'member' })
  expect(body).toEqual({
    data: [],
    meta: { viewerAccess: [{ source: 'object_default', access_level: 'edit', grant_id: null, grantee_type: null }] },
  })
})
