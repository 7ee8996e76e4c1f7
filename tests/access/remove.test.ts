import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const { id } = await records.create('meeting', { title: 'Talk' })
const target = `meeting/records/${id}`
const access = `${recordsPath('meeting')}/${id}/access`
const listed = async (): Promise<number> =>
  (await records.list('meeting', { 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' }, { as: 'viewer' })).body.meta
    .total_records

test.for(['viewer', 'workspace'] as const)(
  'takes a grant to the %s back with 202 and {}, and tells it',
  async (grantee) => {
    const grant = await share(api.post, target, grantee === 'viewer' ? userIds.viewer : grantee, 'view')
    expect([(await records.get('meeting', id, { as: 'viewer' })).status, await listed()]).toEqual([200, 1])
    await app.events()
    const gone = await api.delete(`${access}/${grant}`, { as: 'member' })
    expect([gone.status, gone.body]).toEqual([202, {}])
    expect(await app.events()).toMatchObject([
      {
        type: 'access.revoked',
        record_id: id,
        payload: { grant_id: grant, access_level: null, diff: [{ op: 'delete', val: null, oldVal: 'view' }] },
      },
    ])
    expect([(await records.get('meeting', id, { as: 'viewer' })).status, await listed()]).toEqual([404, 0])
    expect((await api.delete(`${access}/${grant}`, { as: 'member' })).status).toBe(404)
  },
)

test('a member who may share takes away their own grant, and is out', async () => {
  const colleague = await app.addMember('member', 'leaving')
  const grant = await share(api.post, target, colleague.id, 'manage')
  expect((await api.delete(`${access}/${grant}`, { as: colleague.as })).status).toBe(202)
  expect((await api.get(access, { as: colleague.as })).status).toBe(404)
})
