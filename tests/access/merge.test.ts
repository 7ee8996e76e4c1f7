import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { grantOf, share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import { createKey, type Caller } from '../harness/people.ts'
import { recordsOf, recordsPath } from '../harness/records.ts'
import { mergingOf, type Grants } from './merging.ts'

const app = await startApp()
const { api, userIds } = app
const records = recordsOf(app)
const { make, accessOf, merge } = mergingOf(app)
const colleague = await app.addMember('member', 'colleague')
const other = await app.addMember('member', 'other')

const meeting = (as: Caller, ...grants: Grants): Promise<string> => make('meeting', as, grants)
const grantsOf = (id: string) => accessOf('meeting', id)

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
