import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import { recordsPath } from '../harness/records.ts'

const app = await startApp()
const { api, userIds } = app

const secret = async (): Promise<string> => {
  const { body } = await api.post(recordsPath('meeting'), {
    body: { data: { type: 'meeting', attributes: { title: 'Plan', visibility: 'private' } } },
  })
  return body.data.id
}

const revoke = async (id: string, grant: string) => {
  const { status } = await api.delete(`${recordsPath('meeting')}/${id}/access/${grant}`)
  expect(status).toBeLessThan(300)
}

test('an answer is not told again once its caller may no longer see what it says, and is when they may', async () => {
  const id = await secret()
  const grant = await share(api.post, `meeting/records/${id}`, userIds.member, 'edit')
  const call = {
    as: 'member',
    headers: { 'Idempotency-Key': 'rename' },
    body: { data: { type: 'meeting', id, attributes: { title: 'Secret plan' } } },
  } as const
  const change = () => api.patch(`${recordsPath('meeting')}/${id}`, call)
  const found = async () => (await api.get('/workspaces/acme/requests/rename', { as: 'member' })).body.data.attributes
  const first = await change()
  expect([first.status, first.body.data.attributes.title]).toEqual([200, 'Secret plan'])
  expect((await change()).body).toEqual(first.body)
  expect((await found()).body).toEqual(first.body)
  await revoke(id, grant)
  const refused = await change()
  expect([refused.status, refused.body.errors[0].code]).toEqual([403, 'forbidden'])
  expect(JSON.stringify(refused.body)).not.toContain('Secret')
  expect(await found()).toMatchObject({ endpoint: 'records.update', status: 200, body: null })
  await share(api.post, `meeting/records/${id}`, userIds.member, 'view')
  expect((await change()).body).toEqual(first.body)
})

test('nor is one that names a hidden record among others, or a hidden list', async () => {
  const id = await secret()
  const grant = await share(api.post, `meeting/records/${id}`, userIds.member, 'edit')
  const link = () =>
    api.post('/workspaces/acme/comments', {
      as: 'member',
      headers: { 'Idempotency-Key': 'comment' },
      body: { entity: 'meeting', owner_id: id, message: [{ type: 'quote', content: [{ type: 'text', text: 'So' }] }] },
    })
  expect((await link()).status).toBe(201)
  await revoke(id, grant)
  expect((await link()).status).toBe(403)
  const made = await api.post('/workspaces/acme/objects/person/lists', { body: { title: 'Hush', type: 'static' } })
  const list = made.body.data.id
  const shared = await share(api.post, `list/records/${list}`, userIds.member, 'edit')
  const rename = () =>
    api.patch(`/workspaces/acme/objects/person/lists/${list}`, {
      as: 'member',
      headers: { 'Idempotency-Key': 'list' },
      body: { title: 'Hushed' },
    })
  expect((await rename()).status).toBe(200)
  expect((await api.delete(`/workspaces/acme/objects/list/records/${list}/access/${shared}`)).status).toBeLessThan(300)
  expect((await rename()).status).toBe(403)
})
