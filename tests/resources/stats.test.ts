import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const { api } = app
const own = recordsOf(app, 'member')
const colleague = await app.addMember('member', 'colleague')
const allCallers = ['admin', 'member', colleague.as, 'viewer', 'workspaceKey'] as const satisfies readonly Caller[]

/** The number of records that a caller may see: the same from REST, from tRPC and from the list. */
async function count(object: string, as: Caller): Promise<number> {
  const { status, body } = await api.get(`/workspaces/acme/objects/${object}/stats`, { as })
  expect([status, body]).toEqual([
    200,
    { data: { type: 'object-stats', id: object, attributes: { count: expect.any(Number) as number } } },
  ])
  expect(await app.trpc(as).resources.stats.query({ workspace: 'acme', object })).toEqual(body)
  const list = await api.get(resourcesPath(object), { as, query: { 'page[limit]': 1 } })
  expect(list.body.meta.total_records).toBe(body.data.attributes.count)
  return body.data.attributes.count as number
}

const countedBy = (object: string): Promise<number[]> => Promise.all(allCallers.map((as) => count(object, as)))

test('counts what the caller may see: public records, and the private ones that are theirs or shared', async () => {
  expect(await countedBy('deal')).toEqual([0, 0, 0, 0, 0])
  await own.createMany('deal', [{ name: 'One' }, { name: 'Two' }])
  expect(await countedBy('deal')).toEqual([2, 2, 2, 2, 2])

  const [first, second] = await own.createMany('meeting', [{ title: 'First' }, { title: 'Second' }])
  expect(await countedBy('meeting')).toEqual([2, 2, 0, 0, 0])
  await share(api.post, `meeting/records/${first!.id}`, colleague.id, 'view')
  expect(await countedBy('meeting')).toEqual([2, 2, 1, 0, 0])
  await share(api.post, `meeting/records/${second!.id}`, 'workspace', 'view')
  expect(await countedBy('meeting')).toEqual([2, 2, 2, 1, 1])
  // Granted one by one and with the workspace, a record counts once.
  await share(api.post, `meeting/records/${second!.id}`, colleague.id, 'edit')
  expect(await countedBy('meeting')).toEqual([2, 2, 2, 1, 1])
  const everything = await share(api.post, 'meeting', 'workspace', 'view')
  expect(await countedBy('meeting')).toEqual([2, 2, 2, 2, 2])
  await own.patch('meeting', first!.id, { visibility: 'private' })
  expect(await countedBy('meeting')).toEqual([2, 2, 2, 1, 1])
  await api.delete(`/workspaces/acme/objects/meeting/access/${everything}`)
})

test('leaves out deleted and merged records, and counts restored ones again', async () => {
  const [kept, merged, deleted] = await own.createMany('company', [
    { name: 'Kept' },
    { name: 'Merged' },
    { name: 'Deleted' },
  ])
  expect((await own.merge('company', kept!.id, [merged!.id])).status).toBe(204)
  expect((await own.remove('company', [deleted!.id])).status).toBe(200)
  expect(await countedBy('company')).toEqual([1, 1, 1, 1, 1])
  expect((await own.restore('company', [deleted!.id])).status).toBe(200)
  expect(await countedBy('company')).toEqual([2, 2, 2, 2, 2])
})

test('counts members of the workspace and records of custom objects too', async () => {
  expect(await count('user', 'viewer')).toBe((await api.get('/workspaces/acme/users')).body.meta.total_records)
  const object = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true } })
  expect(await countedBy(object)).toEqual([0, 0, 0, 0, 0])
  await own.create(object, { name: 'Only' })
  expect(await countedBy(object)).toEqual([1, 1, 1, 1, 1])
})

test('says nothing of an object that is not there or that the credential does not cover', async () => {
  const { key } = await createKey(api.post, 'member', { scopes: ['records:read:person'] })
  const as = { authorization: `api-key ${key}` }
  expect(await count('person', as)).toBe(await count('person', 'member'))
  const statusOf = async (object: string, caller: Caller): Promise<Json> => {
    const { status, body } = await api.get(`/workspaces/acme/objects/${object}/stats`, { as: caller })
    return [status, body.errors[0].code]
  }
  expect(await statusOf('company', as)).toEqual([403, 'insufficient_scope'])
  expect(await statusOf('c_nothing', 'member')).toEqual([404, 'not_found'])
  expect(await statusOf('person', 'stranger')).toEqual([404, 'not_found'])
})
