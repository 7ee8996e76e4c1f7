import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { mergingOf, type Grants } from './merging.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const { make, accessOf, merge } = mergingOf(app)
const colleague = await app.addMember('member', 'colleague')
const other = await app.addMember('member', 'other')
/** An object whose records every member may edit, and only their owners share. */
const open = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true } })

const thing = (as: Caller, ...grants: Grants): Promise<string> => make(open, as, grants)

const levelOf = async (object: string, id: string, user: string): Promise<string> =>
  (await api.get(`${recordsPath(object)}/${id}/access/explain`, { query: { user } })).body.data.attributes.access_level

const keyWith = async (...scopes: string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(api.post, 'admin', { scopes })).key}`,
})

describe('where every member may edit', () => {
  test('a member who may not share the target raises no one by what they merge into it, nor themselves', async () => {
    const theirs = await thing('member', [other.id, 'view'])
    const mine = await thing(
      colleague.as,
      ['workspace', 'manage'],
      [other.id, 'manage'],
      [colleague.id, 'manage'],
      [userIds.viewer, 'view'],
    )
    expect((await merge(open, theirs, [mine], colleague.as)).status).toBe(204)
    expect(await accessOf(open, theirs)).toEqual({ [other.id]: 'view' })
    for (const user of [colleague.id, other.id]) expect(await levelOf(open, theirs, user)).toBe('edit')
    expect(
      (
        await api.post(`${recordsPath(open)}/${theirs}/access`, {
          as: colleague.as,
          body: {
            data: { type: 'object-record-access', attributes: { grantee_type: 'workspace', access_level: 'manage' } },
          },
        })
      ).status,
    ).toBe(403)
  })

  test('nor when the object is closed later', async () => {
    const object = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true } })
    const theirs = await make(object, 'member', [])
    const mine = await make(object, colleague.as, [
      ['workspace', 'view'],
      [colleague.id, 'manage'],
    ])
    expect((await merge(object, theirs, [mine], colleague.as)).status).toBe(204)
    await changesOf(app).edit(object, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
    for (const as of [colleague.as, other.as, 'workspaceKey'] as const)
      expect((await records.get(object, theirs, { as })).status).toBe(404)
    expect((await records.list(object, {}, { as: colleague.as })).body).toMatchObject({
      data: [],
      meta: { total_records: 0 },
    })
  })

  test(
    'a record that another member merges is still managed by its owner, and by those whose records it had ' +
      'taken in',
    async () => {
      const [first, second, last] = [
        await thing(other.as),
        await thing('member', [userIds.viewer, 'view']),
        await thing('admin'),
      ]
      expect((await merge(open, second, [first], colleague.as)).status).toBe(204)
      expect(await accessOf(open, second)).toEqual({ [other.id]: 'manage', [userIds.viewer]: 'view' })
      expect((await merge(open, last, [second], colleague.as)).status).toBe(204)
      expect(await accessOf(open, last)).toEqual({ [other.id]: 'manage', [userIds.member]: 'manage' })
    },
  )

  test('a member who may share the target takes the grants along', async () => {
    const [mine, theirs] = [
      await thing(colleague.as),
      await thing('member', [other.id, 'manage'], ['workspace', 'view']),
    ]
    expect((await merge(open, mine, [theirs], colleague.as)).status).toBe(204)
    expect(await accessOf(open, mine)).toEqual({ [other.id]: 'manage', [userIds.member]: 'manage', workspace: 'view' })
  })
})

test('a key that may delete but not write merges nothing: the target would be changed', async () => {
  const [target, source] = [await thing('admin'), await recordsOf(app, 'admin').create(open, { name: 'Filled in' })]
  const refused = await merge(open, target, [source.id], await keyWith('records:read', 'records:delete'))
  expect([refused.status, refused.body.errors[0].code, refused.body.errors[0].meta.required]).toEqual([
    403,
    'insufficient_scope',
    `records:write:${open}`,
  ])
  expect((await records.get(open, target)).body.data.attributes.name).toBeNull()
  expect((await merge(open, target, [source.id], await keyWith('records:write', 'records:delete'))).status).toBe(204)
})
