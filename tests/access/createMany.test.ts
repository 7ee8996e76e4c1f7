import { bulkGrantsMax } from '@kontor/contract'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { grantOf, share } from '../harness/grants.ts'
import { pointersOf, recordsOf, recordsPath, unknownId } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const meet = async () => {
  const { id } = await records.create('meeting', {})
  return { id, access: `${recordsPath('meeting')}/${id}/access` }
}

test('gives all grants of a body, in its order, those that exist another level', async () => {
  const { id, access } = await meet()
  const first = await share(api.post, `meeting/records/${id}`, userIds.viewer, 'view')
  await app.events()
  const { status, body } = await api.post(`${access}/bulk`, {
    as: 'member',
    body: { data: [grantOf('workspace', 'comment'), grantOf(userIds.viewer, 'edit'), grantOf(userIds.admin, 'view')] },
  })
  expect(status).toBe(201)
  expect(
    body.data.map(({ attributes: { grantee_id, access_level } }: { attributes: Record<string, string> }) => [
      grantee_id,
      access_level,
    ]),
  ).toEqual([
    [null, 'comment'],
    [userIds.viewer, 'edit'],
    [userIds.admin, 'view'],
  ])
  expect(body.data[1].id).toBe(first)
  expect((await app.events()).map(({ type }) => type)).toEqual(['access.granted', 'access.updated', 'access.granted'])
  expect((await api.get(access)).body.data).toHaveLength(3)
})

test('gives none where one is refused, and names all that are', async () => {
  const { access } = await meet()
  await app.events()
  const refused = await api.post(`${access}/bulk`, {
    as: 'member',
    body: { data: [grantOf(userIds.viewer, 'view'), grantOf(unknownId, 'view'), grantOf(userIds.viewer, 'edit')] },
  })
  expect(refused.status).toBe(422)
  expect(pointersOf(refused)).toEqual(['/data/1/attributes/grantee_id', '/data/2/attributes/grantee_id'])
  expect((await api.get(access)).body.data).toEqual([])
  expect(await app.events()).toEqual([])
})

test('takes as many as it says, and no more', async () => {
  const { access } = await meet()
  const { status, body } = await api.post(`${access}/bulk`, {
    as: 'member',
    body: { data: Array.from({ length: bulkGrantsMax + 1 }, () => grantOf('workspace', 'view')) },
  })
  expect([status, body.errors[0].source.pointer]).toEqual([422, '/data'])
})
