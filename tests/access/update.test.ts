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
const seen = async (): Promise<number> => (await records.get('meeting', id, { as: 'viewer' })).status

test('gives a grant another level, bare or wrapped, and tells it', async () => {
  const grant = await share(api.post, target, userIds.viewer, 'view')
  await app.events()
  const bare = await api.patch(`${access}/${grant}`, { as: 'member', body: { access_level: 'edit' } })
  expect(bare.status).toBe(200)
  expect(bare.body.data.attributes).toMatchObject({ access_level: 'edit', _updated_by: userIds.member })
  const wrapped = await api.patch(`${access}/${grant}`, {
    as: 'member',
    body: { data: { type: 'object-record-access', id: grant, attributes: { access_level: 'comment' } } },
  })
  expect(wrapped.body.data.attributes.access_level).toBe('comment')
  expect((await app.events()).map(({ type }) => type)).toEqual(['access.updated', 'access.updated'])
  expect((await api.get(access)).body.data).toEqual([wrapped.body.data])
})

test('the level that it has changes nothing', async () => {
  const grant = await share(api.post, target, userIds.admin, 'view')
  await app.events()
  expect(
    (await api.patch(`${access}/${grant}`, { as: 'member', body: { access_level: 'view' } })).body.data.attributes
      ._updated_at,
  ).toBeNull()
  expect(await app.events()).toEqual([])
})

test('a grant of another record is none of this one, and its id must be that of the path', async () => {
  const other = await records.create('meeting', {})
  const grant = await share(api.post, `meeting/records/${other.id}`, userIds.viewer, 'view')
  expect((await api.patch(`${access}/${grant}`, { body: { access_level: 'edit' } })).status).toBe(404)
  const own = await share(api.post, target, userIds.viewer, 'view')
  expect(
    (
      await api.patch(`${access}/${own}`, {
        body: { data: { type: 'object-record-access', id: grant, attributes: { access_level: 'edit' } } },
      })
    ).status,
  ).toBe(422)
})

test('a grant to the workspace changes what all members may do, in every list at once', async () => {
  const grant = await share(api.post, target, 'workspace', 'view')
  const colleague = await app.addMember('member', 'one-more')
  expect((await records.patch('meeting', id, { title: 'Mine now' }, {}, { as: colleague.as })).status).toBe(403)
  await api.patch(`${access}/${grant}`, { as: 'member', body: { access_level: 'edit' } })
  expect((await records.patch('meeting', id, { title: 'Ours now' }, {}, { as: colleague.as })).status).toBe(200)
  expect(await seen()).toBe(200)
})
