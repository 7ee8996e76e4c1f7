import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import { recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const colleague = await app.addMember('member', 'colleague')
const { id } = await records.create('meeting', { title: 'Talk' })
const explain = async (user: string) =>
  (await api.get(`${recordsPath('meeting')}/${id}/access/explain`, { as: 'member', query: { user } })).body.data

test('says of each member why they can or cannot', async () => {
  expect(await explain(colleague.id)).toEqual({
    type: 'access-explanation',
    id,
    attributes: { user_id: colleague.id, role: 'member', object_default: 'none', access_level: 'none', reasons: [] },
  })
  const grant = await share(api.post, `meeting/records/${id}`, colleague.id, 'comment')
  const all = await share(api.post, `meeting/records/${id}`, 'workspace', 'view')
  expect((await explain(colleague.id)).attributes).toMatchObject({
    access_level: 'comment',
    reasons: [
      { source: 'grant', grant_id: grant, access_level: 'comment' },
      { source: 'grant', grant_id: all, access_level: 'view' },
    ],
  })
  expect((await explain(userIds.viewer)).attributes).toMatchObject({
    role: 'viewer',
    access_level: 'view',
    reasons: [{ source: 'grant', grantee_type: 'workspace', grant_id: all }],
  })
  expect((await explain(userIds.admin)).attributes).toMatchObject({
    role: 'admin',
    access_level: 'manage',
    reasons: [{ source: 'role' }, { source: 'grant' }],
  })
  expect((await explain(userIds.member)).attributes).toMatchObject({
    access_level: 'manage',
    reasons: [{ source: 'owner' }, { source: 'grant' }],
  })
})

test('without a user it explains the caller', async () => {
  const { body } = await api.get(`${recordsPath('meeting')}/${id}/access/explain`, { as: 'member' })
  expect(body.data).toEqual(await explain(userIds.member))
})

test.for(['no-id', unknownId, userIds.stranger])('%s is no member: 400 that names the parameter', async (user) => {
  const { status, body } = await api.get(`${recordsPath('meeting')}/${id}/access/explain`, {
    as: 'member',
    query: { user },
  })
  expect([status, body.errors[0].code, body.errors[0].source]).toEqual([400, 'unknown_value', { parameter: 'user' }])
})
