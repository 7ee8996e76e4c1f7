import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { commentsOf } from '../harness/comments.ts'
import { grantOf, share, type Level } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const colleague = await app.addMember('member', 'colleague')
const other = await app.addMember('member', 'other')
/** An object whose records every member may edit, and only their owners share. */
const open = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true } })

type Grants = readonly (readonly [string, Level])[]

async function make(object: string, as: Caller, grants: Grants): Promise<string> {
  const { id } = await recordsOf(app, as).create(object, {})
  for (const [grantee, level] of grants) await share(api.post, `${object}/records/${id}`, grantee, level, as)
  return id
}
const meeting = (as: Caller, ...grants: Grants): Promise<string> => make('meeting', as, grants)
const thing = (as: Caller, ...grants: Grants): Promise<string> => make(open, as, grants)

const accessOf = async (object: string, id: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await api.get(`${recordsPath(object)}/${id}/access`)).body.data.map(({ attributes }: Json) => [
      attributes.grantee_id ?? 'workspace',
      attributes.access_level,
    ]),
  )
const grantsOf = (id: string) => accessOf('meeting', id)
const levelOf = async (object: string, id: string, user: string): Promise<string> =>
  (await api.get(`${recordsPath(object)}/${id}/access/explain`, { query: { user } })).body.data.attributes.access_level
const merge = (object: string, target: string, sources: readonly string[], as: Caller, dryRun = false) =>
  recordsOf(app, as).merge(object, target, sources, { ...(dryRun && { query: { dry_run: true } }) })

describe('where an object is not open to all members', () => {
  test('each grantee has the highest level of all records that are merged, the workspace in lists too', async () => {
    const target = await meeting('member', [colleague.id, 'edit'])
    const sources = [
      await meeting('member', [colleague.id, 'view'], [userIds.viewer, 'view']),
      await meeting('member', ['workspace', 'comment'], [colleague.id, 'comment']),
    ]
    expect((await merge('meeting', target, sources, 'member')).status).toBe(204)
    expect(await grantsOf(target)).toEqual({ [colleague.id]: 'edit', [userIds.viewer]: 'view', workspace: 'comment' })
    for (const query of [{}, { 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' }] as const) {
      expect(
        (await records.list('meeting', query, { as: 'workspaceKey' })).body.data.map(({ id }: Json) => id),
      ).toEqual([target])
    }
    expect((await records.patch('meeting', target, { title: 'Ours' }, {}, { as: 'workspaceKey' })).status).toBe(403)
  })

  test.for(['view', 'comment', 'edit'] as const)(
    'a member who may only %s one of them merges nothing, in a dry run either',
    async (level) => {
      const theirs = await meeting('member', [colleague.id, level])
      const mine = await meeting(colleague.as, ['workspace', 'manage'], [other.id, 'manage'], [userIds.viewer, 'view'])
      for (const dryRun of [false, true]) {
        expect(
          (await merge('meeting', theirs, [mine], colleague.as, dryRun)).status,
          'a record of their own into it',
        ).toBe(403)
        expect(
          (await merge('meeting', mine, [theirs], colleague.as, dryRun)).status,
          'it into a record of their own',
        ).toBe(403)
      }
      expect(await grantsOf(theirs)).toEqual({ [colleague.id]: level })
      expect(Object.keys(await grantsOf(mine))).toHaveLength(3)
      for (const as of [other.as, 'viewer', 'workspaceKey'] as const)
        expect((await records.get('meeting', theirs, { as })).status).toBe(404)
      expect((await records.get('meeting', theirs)).status).toBe(200)
    },
  )

  test('one of several sources is enough to be refused', async () => {
    const [mine, also, theirs] = [
      await meeting(colleague.as),
      await meeting(colleague.as),
      await meeting('member', [colleague.id, 'edit']),
    ]
    expect((await merge('meeting', mine, [also, theirs], colleague.as)).status).toBe(403)
    expect((await merge('meeting', mine, [await meeting('member')], colleague.as)).status).toBe(404)
    for (const id of [mine, also]) expect((await records.get('meeting', id, { as: colleague.as })).status).toBe(200)
  })

  test('owners of sources manage the target, whatever they were granted on it', async () => {
    const target = await meeting(colleague.as, [other.id, 'view'])
    const sources = [
      await meeting('member', [colleague.id, 'manage']),
      await meeting(other.as, [colleague.id, 'manage']),
    ]
    expect((await merge('meeting', target, sources, colleague.as)).status).toBe(204)
    expect(await grantsOf(target)).toMatchObject({ [userIds.member]: 'manage', [other.id]: 'manage' })
    await share(api.post, `meeting/records/${target}`, userIds.viewer, 'view', 'member')
    expect((await records.remove('meeting', [target])).status).toBe(200)
    expect((await records.restore('meeting', [target], { as: other.as })).status).toBe(200)
  })

  test(
    'what a member keeps whose record the owner of the target has taken in, only they themselves and admins ' +
      'take back',
    async () => {
      const [target, source] = [await meeting(colleague.as), await meeting('member', [colleague.id, 'manage'])]
      const last = await meeting(colleague.as)
      expect((await merge('meeting', target, [source], colleague.as)).status).toBe(204)
      expect((await merge('meeting', last, [target], colleague.as)).status).toBe(204)
      const path = `${recordsPath('meeting')}/${last}/access`
      const grant = (await api.get(path)).body.data.find(
        ({ attributes }: Json) => attributes.grantee_id === userIds.member,
      ).id
      const lower = { data: grantOf(userIds.member, 'view') }
      const refused = [
        await api.delete(`${path}/${grant}`, { as: colleague.as }),
        await api.patch(`${path}/${grant}`, { as: colleague.as, body: { access_level: 'edit' } }),
        await api.post(path, { as: colleague.as, body: lower }),
        await api.post(`${path}/bulk`, {
          as: colleague.as,
          body: { data: [grantOf(other.id, 'view'), grantOf(userIds.member, 'view')] },
        }),
      ]
      expect(refused.map(({ status, body }) => [status, body.errors[0].code])).toEqual(
        refused.map(() => [403, 'forbidden']),
      )
      expect(await grantsOf(last)).toMatchObject({ [userIds.member]: 'manage' })
      expect(
        (await api.post(path, { as: colleague.as, body: { data: grantOf(userIds.member, 'manage') } })).status,
      ).toBe(200)
      expect((await api.patch(`${path}/${grant}`, { as: 'admin', body: { access_level: 'edit' } })).status).toBe(200)
      expect((await api.delete(`${path}/${grant}`, { as: colleague.as })).status).toBe(202)
    },
  )

  test('what is merged into what was merged takes all of its owners along', async () => {
    const [first, second, last] = [
      await meeting('member', [colleague.id, 'manage']),
      await meeting(other.as, [colleague.id, 'manage']),
      await meeting(colleague.as),
    ]
    expect((await merge('meeting', second, [first], colleague.as)).status).toBe(204)
    expect((await merge('meeting', last, [second], colleague.as)).status).toBe(204)
    expect(await grantsOf(last)).toMatchObject({ [userIds.member]: 'manage', [other.id]: 'manage' })
  })

  test('a workspace key that manages them hands nothing on, but owners stay', async () => {
    const target = await meeting(colleague.as, ['workspace', 'manage'])
    const source = await meeting('member', ['workspace', 'manage'], [other.id, 'manage'])
    expect((await merge('meeting', target, [source], 'workspaceKey')).status).toBe(204)
    expect(await grantsOf(target)).toEqual({ workspace: 'manage', [userIds.member]: 'manage' })
    const [shown, edited] = [
      await meeting(colleague.as, ['workspace', 'edit']),
      await meeting('member', ['workspace', 'edit']),
    ]
    expect((await merge('meeting', shown, [edited], 'workspaceKey')).status).toBe(403)
  })

  test('a key that may not share moves no grants', async () => {
    const { key } = await createKey(api.post, 'member', { scopes: ['records:read', 'records:write', 'records:delete'] })
    const [target, source] = [
      await meeting('member'),
      await meeting('member', [other.id, 'view'], ['workspace', 'view']),
    ]
    expect((await merge('meeting', target, [source], { authorization: `api-key ${key}` })).status).toBe(204)
    expect(await grantsOf(target)).toEqual({})
  })

  test('a former member gets nothing', async () => {
    const gone = await app.addMember('member', 'gone')
    const [target, source] = [await meeting('admin'), await meeting(gone.as)]
    expect((await api.delete(`/workspaces/acme/users/${gone.id}`)).status).toBe(200)
    expect((await merge('meeting', target, [source], 'admin')).status).toBe(204)
    expect(await grantsOf(target)).toEqual({})
  })

  test('a grant that is taken back at the same time has either allowed the merge or not', async () => {
    for (let round = 0; round < 8; round++) {
      const theirs = await meeting('member')
      const grant = await share(api.post, `meeting/records/${theirs}`, colleague.id, 'manage', 'member')
      const mine = await meeting(colleague.as, ['workspace', 'view'])
      const [merged, lowered] = await Promise.all([
        merge('meeting', theirs, [mine], colleague.as),
        api.patch(`${recordsPath('meeting')}/${theirs}/access/${grant}`, {
          as: 'member',
          body: { access_level: 'edit' },
        }),
      ])
      expect([204, 403]).toContain(merged.status)
      expect(lowered.status).toBe(200)
      const grants = await grantsOf(theirs)
      expect(grants['workspace']).toBe(merged.status === 204 ? 'view' : undefined)
      // Lowered before the merge: it did not bring it back. After it: it counts.
      expect(grants[colleague.id]).toBe('edit')
    }
  })
})

describe('where every member may edit', () => {
  test('a member who may not share the target raises nobody by what they merge into it, nor themselves', async () => {
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

describe('a dry run', () => {
  test('tells everything that would change, and nothing does', async () => {
    const lists = listsOf(app)
    const [person, deal] = [await records.create('person', {}), await records.create('deal', {})]
    const company = await records.create('company', { name: 'Source' })
    const target = await records.create('company', {})
    await records.patch('person', person.id, { company_id: company.id })
    await records.patch('deal', deal.id, { company_id: company.id })
    await share(api.post, `company/records/${company.id}`, userIds.viewer, 'comment', 'member')
    await share(api.post, `company/records/${company.id}`, 'workspace', 'view', 'member')
    await share(api.post, `company/records/${target.id}`, userIds.viewer, 'view', 'member')
    const said = await commentsOf(app).create('company', company.id)
    const list = await lists.create('company')
    const hidden = await listsOf(app, 'admin').create('company')
    for (const [id, as] of [
      [list.id, 'member'],
      [hidden.id, 'admin'],
    ] as const)
      await lists.add('company', id, [company.id], { as })
    await app.events()
    const { status, body } = await merge('company', target.id, [company.id], 'member', true)
    expect(status).toBe(200)
    expect(body.meta.dry_run).toBe(true)
    const expected = [
      add(['name'], 'Source'),
      add(['_merged_ids'], [company.id]),
      add(['access', userIds.viewer], 'comment', 'view'),
      add(['access', 'workspace'], 'view'),
      add(['people'], [person.id]),
      add(['deals'], [deal.id]),
      add(['comments'], [said._id]),
      add(['lists'], list.id),
    ]
    expect(body.meta.diff.toSorted(byPath)).toEqual(expected.toSorted(byPath))
    expect(await app.events()).toEqual([])
    expect((await commentsOf(app).get(said._id)).body.owner_id).toBe(company.id)
    expect(await accessOf('company', target.id)).toEqual({ [userIds.viewer]: 'view' })
    expect((await lists.members('company', list.id)).ids).toEqual([company.id])
    expect((await records.get('person', person.id)).body.data.attributes.company_id).toBe(company.id)
    expect((await merge('company', target.id, [company.id], 'member')).status).toBe(204)
    expect(await accessOf('company', target.id)).toEqual({ [userIds.viewer]: 'comment', workspace: 'view' })
    expect((await lists.members('company', list.id)).ids).toEqual([target.id])
  })

  test('names no record that the caller may not see', async () => {
    const [target, source] = [await records.create('person', {}), await records.create('person', {})]
    const secret = await records.create('meeting', {}, { as: 'admin' })
    await api.patch(`${recordsPath('person')}/${source.id}/relationships/meetings`, {
      body: { data: [{ type: 'meeting', id: secret.id }] },
    })
    const { body } = await merge('person', target.id, [source.id], 'member', true)
    expect(JSON.stringify(body)).not.toContain(secret.id)
    expect(JSON.stringify((await merge('person', target.id, [source.id], 'admin', true)).body)).toContain(secret.id)
  })
})

const add = (path: string[], val: Json, oldVal: Json = null) => ({
  op: oldVal === null ? 'add' : 'update',
  path,
  val,
  oldVal,
})

const byPath = (one: Json, two: Json): number => (JSON.stringify(one.path) < JSON.stringify(two.path) ? -1 : 1)

const keyWith = async (...scopes: string[]): Promise<Caller> => ({
  authorization: `api-key ${(await createKey(api.post, 'admin', { scopes })).key}`,
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
