import { afterEach, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { grantOf, share } from '../harness/grants.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { nextNumber, pointersOf, recordsOf, recordsPath, resourcesPath } from '../harness/records.ts'
import { changesOf, faultsOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp({ fieldIndexThreshold: 10 })
const { api } = app
const own = recordsOf(app, 'member')
const colleague = await app.addMember('member', 'colleague')
const access = '/workspaces/acme/objects/meeting/access'
const allCallers = ['admin', 'member', colleague.as, 'viewer', 'workspaceKey'] as const satisfies readonly Caller[]

/** A meeting of the member. */
const meet = (attributes: Json = {}): Promise<Json> =>
  own.create('meeting', { title: `Board${nextNumber()}`, ...attributes })

const shareAll = async (level: 'view' | 'edit') =>
  expect((await api.post(access, { body: { data: grantOf('workspace', level) } })).status).toBe(201)

afterEach(async () => {
  for (const { id } of (await api.get(access)).body.data) await api.delete(`${access}/${id}`)
})

/** In how many ways a caller sees a meeting: all of them or none. */
async function sees(as: Caller, { id, attributes: { title } }: Json, task: Json): Promise<boolean> {
  const list = await api.get(resourcesPath('meeting'), { as, query: { 'filter[title]': title } })
  const all = await api.get(resourcesPath('meeting'), {
    as,
    query: { 'page[limit]': 1000, 'sortOrder[column]': 'title', 'sortOrder[dir]': 'ASC' },
  })
  const found = await api.post('/workspaces/acme/search', { as, body: { query: title } })
  const tasks = await api.get(resourcesPath('task'), {
    as,
    query: { 'filter[meeting_id.title]': title, 'filter[_id]': task.id },
  })
  const one = await api.get(`${recordsPath('task')}/${task.id}`, { as, query: { include: 'meeting_id' } })
  const here = [
    (await api.get(`${recordsPath('meeting')}/${id}`, { as })).status === 200,
    (await api.get(`${recordsPath('meeting')}/${id}/activities`, { as })).status === 200,
    (await api.get(`${recordsPath('task')}/${task.id}/relationships/meeting_id`, { as })).body.data.length === 1,
    list.body.data.length === 1 && list.body.meta.total_records === 1,
    all.body.data.some((row: Json) => row.id === id),
    found.body.meta.total_records === 1,
    tasks.body.meta.total_records === 1,
    one.body.data.attributes.meeting_id === id && one.body.included.length === 1,
  ]
  expect(new Set(here), JSON.stringify([as, here])).toHaveProperty('size', 1)
  expect(all.body.meta.total_records).toBe(all.body.data.length)
  return here[0] as boolean
}

const seenBy = async (meeting: Json): Promise<Caller[]> => {
  const task = await recordsOf(app, 'member').create('task', { title: 'Prepare', meeting_id: meeting.id })
  const seen = await Promise.all(allCallers.map((as) => sees(as, meeting, task)))
  return allCallers.filter((_, index) => seen[index])
}

const turn = (id: string, visibility: unknown, as: Caller = 'member'): Promise<Answer> =>
  recordsOf(app, as).patch('meeting', id, { visibility })

/** The rights of another caller, and their reasons. */
const explain = async ({ id }: Json): Promise<Json> =>
  (await api.get(`${recordsPath('meeting')}/${id}/access/explain`, { query: { user: colleague.id } })).body.data
    .attributes

const workspaceGrants = async (id: string): Promise<Json[]> =>
  (await api.get(`${recordsPath('meeting')}/${id}/access`)).body.data.filter(
    ({ attributes }: Json) => attributes.grantee_type === 'workspace',
  )

describe('the visibility of a meeting', () => {
  test('says who sees it, whatever meetings are open to', async () => {
    const [plain, closed, open] = [
      await meet(),
      await meet({ visibility: 'private' }),
      await meet({ visibility: 'workspace' }),
    ]
    expect([plain, closed, open].map(({ attributes }) => attributes.visibility)).toEqual([
      'default',
      'private',
      'workspace',
    ])
    expect([await seenBy(plain), await seenBy(closed), await seenBy(open)]).toEqual([
      ['admin', 'member'],
      ['admin', 'member'],
      allCallers,
    ])
    await shareAll('edit')
    expect([await seenBy(plain), await seenBy(closed), await seenBy(open)]).toEqual([
      allCallers,
      ['admin', 'member'],
      allCallers,
    ])
    expect((await turn(closed.id, 'default')).body.data.attributes.visibility).toBe('default')
    expect((await turn(plain.id, 'private')).status).toBe(200)
    expect([await seenBy(plain), await seenBy(closed)]).toEqual([['admin', 'member'], allCallers])
  })

  test('that is workspace lets every member read, and no more', async () => {
    const { id } = await meet({ visibility: 'workspace' })
    expect((await recordsOf(app, colleague.as).patch('meeting', id, { summary: 'Mine' })).status).toBe(403)
    await shareAll('edit')
    expect((await recordsOf(app, colleague.as).patch('meeting', id, { summary: 'Mine' })).status).toBe(200)
  })

  test('that is private beats grants on all meetings, also to one person, and yields to its own grants', async () => {
    const meeting = await meet({ visibility: 'private' })
    expect((await api.post(access, { body: { data: grantOf(colleague.id, 'edit') } })).status).toBe(201)
    expect(await seenBy(meeting)).toEqual(['admin', 'member'])
    await share(api.post, `meeting/records/${meeting.id}`, colleague.id, 'edit', 'member')
    expect(await seenBy(meeting)).toEqual(['admin', 'member', colleague.as])
    expect((await recordsOf(app, colleague.as).patch('meeting', meeting.id, { summary: 'Ours' })).status).toBe(200)
  })

  test('is changed by those who manage the meeting; sending back what it is needs no more than edit', async () => {
    await shareAll('edit')
    const { id } = await meet()
    for (const visibility of ['private', 'workspace'])
      expect((await turn(id, visibility, colleague.as)).status).toBe(403)
    expect((await turn(id, 'private', 'workspaceKey')).status).toBe(403)
    expect(
      (await recordsOf(app, colleague.as).patch('meeting', id, { visibility: 'default', summary: 'Same' })).status,
    ).toBe(200)
    expect(
      (
        await api.patch(recordsPath('meeting'), {
          as: colleague.as,
          body: { data: [{ type: 'meeting', id, attributes: { visibility: 'private' } }] },
        })
      ).status,
    ).toBe(403)
    await share(api.post, `meeting/records/${id}`, colleague.id, 'manage', 'member')
    expect((await turn(id, 'private', colleague.as)).status).toBe(200)
  })

  test('is said at creation by the person who will own the meeting, and by no workspace key', async () => {
    await shareAll('edit')
    const answers = await Promise.all(
      ['default', 'private', 'workspace'].map((visibility) =>
        recordsOf(app, 'workspaceKey').post('meeting', { visibility }),
      ),
    )
    expect(answers.map(({ status }) => status)).toEqual([201, 403, 403])
    const bulk = await own.createMany('meeting', [{ visibility: 'private' }, {}])
    expect(bulk.map(({ attributes }) => attributes.visibility)).toEqual(['private', 'default'])
  })

  test(
    'that becomes private ends what the workspace was granted, which is told; the workspace is granted nothing ' +
      'on what is private',
    async () => {
      const { id } = await meet()
      await share(api.post, `meeting/records/${id}`, 'workspace', 'edit', 'member')
      await app.events()
      expect((await turn(id, 'private')).status).toBe(200)
      expect(await workspaceGrants(id)).toEqual([])
      expect((await app.events()).map(({ type }) => type).toSorted()).toEqual(['access.revoked', 'record.updated'])
      const grant = grantOf('workspace', 'view')
      expect(
        pointersOf(await api.post(`${recordsPath('meeting')}/${id}/access`, { as: 'member', body: { data: grant } })),
      ).toEqual(['/data/attributes/grantee_type'])
      expect(
        pointersOf(
          await api.post(`${recordsPath('meeting')}/${id}/access/bulk`, {
            as: 'member',
            body: { data: [grantOf(colleague.id, 'view'), grant] },
          }),
        ),
      ).toEqual(['/data/1/attributes/grantee_type'])
    },
  )

  test('and a grant to the workspace are two things: the one stays where the other ends', async () => {
    const meeting = await meet({ visibility: 'workspace' })
    const grantId = await share(api.post, `meeting/records/${meeting.id}`, 'workspace', 'edit', 'member')
    expect((await recordsOf(app, colleague.as).patch('meeting', meeting.id, { summary: 'Granted' })).status).toBe(200)
    await api.delete(`${recordsPath('meeting')}/${meeting.id}/access/${grantId}`, { as: 'member' })
    expect(await seenBy(meeting)).toEqual(allCallers)
    await share(api.post, `meeting/records/${meeting.id}`, 'workspace', 'edit', 'member')
    expect((await turn(meeting.id, 'default')).status).toBe(200)
    expect(await workspaceGrants(meeting.id)).toHaveLength(1)
    expect((await recordsOf(app, colleague.as).patch('meeting', meeting.id, { summary: 'Still' })).status).toBe(200)
  })

  test('is a reason that is explained, and private leaves those reasons out that do not hold', async () => {
    await shareAll('edit')
    const [open, closed] = [await meet({ visibility: 'workspace' }), await meet({ visibility: 'private' })]
    expect(await explain(open)).toMatchObject({
      access_level: 'edit',
      reasons: [{ source: 'object_grant' }, { source: 'visibility', access_level: 'view', grant_id: null }],
    })
    expect(await explain(closed)).toMatchObject({ access_level: 'none', reasons: [] })
  })

  test('is filtered and sorted by, told in the feed, and never empty', async () => {
    const meeting = await meet({ visibility: 'private' })
    const found = async (query: Json) =>
      (await own.list('meeting', { 'filter[title]': meeting.attributes.title, ...query })).body.data.length
    expect([
      await found({ 'filter[visibility]': 'private' }),
      await found({ 'filter[visibility]': 'default' }),
      await found({ 'sortOrder[column]': 'visibility', 'sortOrder[dir]': 'ASC' }),
    ]).toEqual([1, 0, 1])
    await turn(meeting.id, 'workspace')
    const feed = await api.get(`${recordsPath('meeting')}/${meeting.id}/activities`, { as: 'member' })
    expect(feed.body.data[0].attributes.data[0].object.diff).toEqual([
      { op: 'update', path: ['visibility'], val: 'workspace', oldVal: 'private' },
    ])
    for (const wrong of [null, 'public', 'Private', true])
      expect(pointersOf(await turn(meeting.id, wrong))).toEqual(['/data/attributes/visibility'])
  })

  test(
    'outlasts a deletion: who did not see the meeting finds it neither among what is deleted nor when it is ' +
      'restored',
    async () => {
      await shareAll('edit')
      const meeting = await meet({ visibility: 'private' })
      await own.remove('meeting', [meeting.id])
      const deleted = async (as: Caller) =>
        JSON.stringify(
          (await api.get('/workspaces/acme/objects/meeting/deleted-resources', { as, query: { 'page[limit]': 1000 } }))
            .body,
        ).includes(meeting.id)
      expect([await deleted('member'), await deleted(colleague.as)]).toEqual([true, false])
      expect((await recordsOf(app, colleague.as).restore('meeting', [meeting.id])).status).toBe(404)
      expect((await own.restore('meeting', [meeting.id])).status).toBe(200)
      expect(await seenBy(meeting)).toEqual(['admin', 'member'])
    },
  )

  test('of the target stays in a merge: a grant to the workspace on a source opens nothing private', async () => {
    const [target, source] = [await meet({ visibility: 'private' }), await meet({ visibility: 'workspace' })]
    await share(api.post, `meeting/records/${source.id}`, 'workspace', 'edit', 'member')
    expect((await own.merge('meeting', target.id, [source.id])).status).toBe(204)
    expect([await workspaceGrants(target.id), await seenBy(target)]).toEqual([[], ['admin', 'member']])
    const [plain, open] = [await meet(), await meet({ visibility: 'workspace' })]
    expect((await own.merge('meeting', plain.id, [open.id])).status).toBe(204)
    expect(await seenBy(plain)).toEqual(['admin', 'member'])
  })

  test('that is private asks manage of who merges, also where meetings are open for changes to all', async () => {
    const changes = changesOf(app)
    await changes.edit('meeting', (_properties, document) => (document.xSvcAccess = { default: 'edit' }))
    try {
      const [target, source, unseen] = [
        await meet(),
        await meet({ visibility: 'private' }),
        await meet({ visibility: 'private' }),
      ]
      await share(api.post, `meeting/records/${source.id}`, colleague.id, 'edit', 'member')
      const theirs = recordsOf(app, colleague.as)
      expect([
        (await theirs.merge('meeting', target.id, [source.id])).status,
        (await theirs.merge('meeting', target.id, [unseen.id])).status,
      ]).toEqual([403, 404])
      await share(api.post, `meeting/records/${source.id}`, colleague.id, 'manage', 'member')
      expect((await theirs.merge('meeting', target.id, [source.id])).status).toBe(204)
    } finally {
      await changes.edit('meeting', (_properties, document) => (document.xSvcAccess = { default: 'none' }))
    }
  })

  test('is a system field: it cannot go, nor be called otherwise, nor have other options', async () => {
    const { properties, ...document } = await schemasOf(app).get('meeting')
    const { visibility, ...others } = properties
    expect(visibility).toMatchObject({
      type: 'string',
      xSvcType: 'select',
      enum: ['default', 'private', 'workspace'],
      default: 'default',
    })
    const put = async (fields: Json): Promise<Json> => {
      const answer = await changesOf(app).put('meeting', {
        ...document,
        required: 'visibility' in fields ? ['visibility'] : [],
        properties: fields,
      })
      return [answer.status, faultsOf(answer).some((fault) => fault.includes('"visibility" is a system field'))]
    }
    const wrong = [
      others,
      { ...others, seen: { ...visibility, xSvcPrevName: 'visibility' } },
      { ...others, visibility: { ...visibility, enum: ['default', 'workspace'] } },
      { ...others, visibility: { ...visibility, default: 'workspace' } },
    ]
    for (const fields of wrong) expect(await put(fields)).toEqual([422, true])
  })
})
