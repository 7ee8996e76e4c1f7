import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { share } from '../harness/grants.ts'
import type { Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { nextNumber, recordsOf, recordsPath, resourcesPath, unknownId } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

/** Other records say nothing of a record that the caller may not see. */
const app = await startApp()
const { api } = app
const records = recordsOf(app)
const schemas = schemasOf(app)
const changes = changesOf(app)

const secret = await records.create('meeting', { title: 'Secret' }, { as: 'admin' })
const open = await records.create('meeting', { title: 'Open' }, { as: 'admin' })
await share(api.post, `meeting/records/${open.id}`, 'workspace', 'view')

const taskOf = (meeting: string): Promise<Json> =>
  records.create('task', { title: `Task ${nextNumber()}`, meeting_id: meeting }, { as: 'admin' })
const textOf = (answer: unknown): string => JSON.stringify(answer)

/** Everything that an answer may not have in it. */
const expectSilent = (...answers: readonly Json[]) => {
  for (const { status, body } of answers) {
    expect(status, textOf(body)).toBeLessThan(300)
    expect(textOf(body)).not.toContain(secret.id)
    expect(textOf(body)).not.toContain('Secret')
  }
}

describe('a reference to it', () => {
  test('is empty in every answer, for those who may not see it', async () => {
    const task = await taskOf(secret.id)
    const path = `${recordsPath('task')}/${task.id}`
    const answers = (as: Caller) =>
      Promise.all([
        api.get(path, { as }),
        api.get(`${resourcesPath('task')}/${task.id}`, { as, query: { include: 'meeting_id,company_id' } }),
        records.list('task', { 'filter[_id]': task.id, include: 'meeting_id' }, { as }),
        api.get(`${path}/relationships/meeting_id`, { as }),
        api.get(`${path}/activities`, { as }),
        api.post('/workspaces/acme/search', { as, body: { query: task.attributes.title } }),
        api.get(`${path}/activities`, { as, query: { 'filter[type]': 'svc:create' } }),
      ])
    for (const as of ['member', 'memberKey', 'viewer', 'workspaceKey'] as const) {
      const [one, , list, related] = await answers(as)
      expectSilent(...(await answers(as)))
      expect(one.body.data.attributes.meeting_id).toBeNull()
      expect(one.body.data.relationships.meeting_id).toEqual({ data: null })
      expect(list.body.data[0].relationships.meeting_id).toEqual({ data: null })
      expect(related.body).toMatchObject({ data: [], meta: { total_records: 0 } })
    }
    for (const answer of await answers('admin')) expect(textOf(answer.body)).toContain(secret.id)
  })

  test('is empty in what a write answers, and in the differences of a dry run', async () => {
    const task = await taskOf(secret.id)
    const other = await taskOf(open.id)
    expectSilent(
      await records.patch('task', task.id, { status: 'Done' }),
      await api.patch(recordsPath('task'), {
        as: 'member',
        body: { data: [{ type: 'task', id: task.id, attributes: { status: 'To Do' } }] },
      }),
    )
    expectSilent(
      await api.patch(`${recordsPath('task')}/${task.id}`, {
        as: 'member',
        query: { dry_run: true },
        body: { data: { type: 'task', attributes: { meeting_id: open.id } } },
      }),
    )
    expectSilent(
      await api.patch(`${recordsPath('task')}/${task.id}/relationships/meeting_id`, {
        as: 'member',
        query: { dry_run: true },
        body: { data: { type: 'meeting', id: open.id } },
      }),
    )
    expectSilent(
      await api.post(`${recordsPath('task')}/${other.id}/merges`, {
        as: 'member',
        query: { dry_run: true },
        body: { data: { type: 'task', attributes: { sources: [task.id] } } },
      }),
    )
    await records.remove('task', [task.id])
    expectSilent(
      await api.get('/workspaces/acme/objects/task/deleted-resources', { as: 'member' }),
      await records.restore('task', [task.id]),
    )
  })

  test('is not emptied by a caller to whom it is empty', async () => {
    const task = await taskOf(secret.id)
    const still = async (): Promise<string> =>
      (await records.get('task', task.id, { as: 'admin' })).body.data.attributes.meeting_id
    const { body: before } = await records.get('task', task.id)
    const writes = [
      await records.patch('task', task.id, { meeting_id: null }),
      await api.patch(`${recordsPath('task')}/${task.id}/relationships/meeting_id`, {
        as: 'member',
        body: { data: null },
      }),
      await api.delete(`${recordsPath('task')}/${task.id}/relationships/meeting_id`, {
        as: 'member',
        body: { data: [{ type: 'meeting', id: secret.id }] },
      }),
    ]
    for (const { status } of writes) expect(status).toBe(200)
    expect(await still()).toBe(secret.id)
    expect((await records.get('task', task.id)).body).toEqual(before)
    expect((await records.patch('task', task.id, { meeting_id: open.id })).status).toBe(200)
    expect(await still()).toBe(open.id)
    expect((await records.patch('task', task.id, { meeting_id: null })).status).toBe(200)
    expect(await still()).toBeNull()
  })

  test('is found by no filter and orders no list', async () => {
    const title = `Group ${nextNumber()}`
    const ids: string[] = []
    for (const meeting of [secret.id, open.id, null])
      ids.push((await records.create('task', { title, meeting_id: meeting }, { as: 'admin' })).id)
    const [hiding, showing, empty] = ids as [string, string, string]
    const found = async (query: Record<string, string>, as: Caller = 'member'): Promise<string[]> => {
      const { status, body } = await records.list('task', { 'filter[title]': title, ...query }, { as })
      expect(status, textOf(body)).toBe(200)
      expect(body.meta.total_records).toBe(body.data.length)
      return body.data.map(({ id }: Json) => id)
    }
    expect(await found({ 'filter[meeting_id]': secret.id })).toEqual([])
    expect(await found({ 'filter[meeting_id]': secret.id }, 'admin')).toEqual([hiding])
    expect(await found({ 'filter[meeting_id][One of]': `${secret.id},${open.id}` })).toEqual([showing])
    expect(await found({ 'filter[meeting_id][Is not]': secret.id })).toEqual(ids)
    expect(await found({ 'filter[meeting_id][Is empty]': '' })).toEqual([hiding, empty])
    expect(await found({ 'filter[meeting_id][Is not empty]': '' })).toEqual([showing])
    expect(await found({ 'filter[meeting_id.title]': 'Secret' })).toEqual([])
    expect(await found({ 'filter[meeting_id.title][Is not]': 'Open' })).toEqual([hiding, empty])
    expect(await found({ 'filter[meeting_id._id]': secret.id })).toEqual([])
    expect(await found({ 'filter[meeting_id.tasks.title]': title })).toEqual([showing])
    for (const dir of ['ASC', 'DESC'])
      expect((await found({ 'sortOrder[column]': 'meeting_id', 'sortOrder[dir]': dir }))[0]).toBe(showing)
    const walked: string[] = []
    for (
      let next: string | null =
        `${resourcesPath('task')}?filter[title]=${encodeURIComponent(title)}` +
        '&sortOrder[column]=meeting_id&sortOrder[dir]=DESC&page[limit]=1';
      next !== null;
    ) {
      const { body } = await api.get(next, { as: 'member' })
      walked.push(...body.data.map(({ id }: Json) => id))
      next = body.links.next
    }
    expect(walked).toEqual([showing, empty, hiding])
  })
})

const personWith = async (...meetings: readonly string[]): Promise<string> => {
  const { id } = await records.create('person', {}, { as: 'admin' })
  const { status } = await api.post(`${recordsPath('person')}/${id}/relationships/meetings`, {
    body: { data: meetings.map((meeting) => ({ type: 'meeting', id: meeting })) },
  })
  expect(status).toBe(200)
  return id
}

describe('links to it', () => {
  test('are neither listed, counted, included nor told', async () => {
    const id = await personWith(secret.id, open.id)
    const path = `${recordsPath('person')}/${id}`
    const [list, one, feed] = await Promise.all([
      api.get(`${path}/relationships/meetings`, { as: 'member' }),
      api.get(path, { as: 'member', query: { include: 'meetings' } }),
      api.get(`${path}/activities`, { as: 'member' }),
    ])
    expectSilent(list, one, feed)
    expect(list.body.meta.total_records).toBe(1)
    expect(one.body.data.relationships.meetings.meta).toEqual({ count: 1 })
    expect(feed.body.data[0].attributes.data[0]).toMatchObject({
      type: 'svc:set-relationship',
      object: { diff: [{ path: ['meetings'], val: [open.id] }] },
    })
  })

  test('are left alone by a caller who replaces or removes what they see', async () => {
    const id = await personWith(secret.id, open.id)
    const path = `${recordsPath('person')}/${id}/relationships/meetings`
    const links = async (): Promise<string[]> =>
      (await api.get(path)).body.data.map((one: Json) => one.attributes.title).toSorted()
    const dry = await api.patch(path, { as: 'member', query: { dry_run: true }, body: { data: [] } })
    expectSilent(dry)
    expect((await api.patch(path, { as: 'member', body: { data: [] } })).status).toBe(200)
    expect(await links()).toEqual(['Secret'])
    expect(
      (await api.delete(path, { as: 'member', body: { data: [{ type: 'meeting', id: secret.id }] } })).status,
    ).toBe(200)
    expect(await links()).toEqual(['Secret'])
    expect((await api.patch(path, { body: { data: [] } })).status).toBe(200)
    expect(await links()).toEqual([])
  })

  test('of one to many are let go as far as they are seen', async () => {
    const { id } = await records.create('company', {}, { as: 'admin' })
    const thing = await schemas.make({
      company_id: { xSvcRelationship: { kind: 'many-to-one', entity: 'company', field: `things_${nextNumber()}` } },
    })
    const field = Object.entries((await schemas.get('company')).properties).find(
      ([, one]) => (one as Json).xSvcRelationship?.entity === thing,
    )?.[0]
    await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
    const [hidden, own] = [
      await records.create(thing, { company_id: id }, { as: 'admin' }),
      await records.create(thing, { company_id: id }, { as: 'member' }),
    ]
    const path = `${recordsPath('company')}/${id}/relationships/${field}`
    expect((await api.patch(path, { as: 'member', body: { data: [{ type: thing, id: null }] } })).status).toBe(200)
    expect((await records.get(thing, own.id)).body.data.attributes.company_id).toBeNull()
    expect((await records.get(thing, hidden.id, { as: 'admin' })).body.data.attributes.company_id).toBe(id)
  })
})

describe('its unique values', async () => {
  const thing = await schemas.make({
    code: { type: 'string', xSvcUnique: true },
    tags: { xSvcType: 'email_addresses', xSvcUnique: true },
  })
  await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  const hold = async (as: Caller = 'admin') => {
    const [code, address] = [`code-${nextNumber()}`, `held-${nextNumber()}@example.com`]
    return { code, address, id: (await records.create(thing, { code, tags: { items: [address] } }, { as })).id }
  }

  test('are taken, and by whom is not said', async () => {
    const { code, id } = await hold()
    const refused = await records.post(thing, { code })
    expect([refused.status, refused.body.errors[0].code, refused.body.errors[0].meta]).toEqual([
      409,
      'unique_violation',
      { field: 'code', value: code },
    ])
    expect((await records.post(thing, { code }, {}, { as: 'admin' })).body.errors[0].meta.existing_id).toBe(id)
  })

  test('name nothing, where a reference goes by value', async () => {
    const { code, id } = await hold()
    const relating = await schemas.make({
      thing_id: { xSvcRelationship: { kind: 'many-to-one', entity: thing, field: `others_${nextNumber()}` } },
    })
    const byCode = { thing_id: { match: { code } } }
    const refused = await records.post(relating, byCode)
    expect([refused.status, refused.body.errors[0].source.pointer]).toEqual([
      422,
      '/data/attributes/thing_id/match/code',
    ])
    expect(textOf(refused.body)).not.toContain(id)
    const made = await records.post(relating, byCode, {}, { as: 'admin' })
    expect([made.status, made.body.data.attributes.thing_id]).toEqual([201, id])
  })

  test('match nothing: it is neither found, changed nor named as a candidate', async () => {
    const hidden = await hold()
    const more = await hold()
    const refused = await records.post(thing, { code: hidden.code }, { match_on: 'code' })
    expect([refused.status, refused.body.errors[0].code]).toEqual([409, 'unique_violation'])
    expect(textOf(refused.body)).not.toContain(hidden.id)
    const both = await records.post(thing, { tags: { items: [hidden.address, more.address] } }, { match_on: 'tags' })
    expect([both.status, both.body.errors[0].code]).toEqual([409, 'unique_violation'])
    expect(textOf(both.body)).not.toContain(hidden.id)
    expect(
      (
        await records.post(
          thing,
          { tags: { items: [hidden.address, more.address] } },
          { match_on: 'tags' },
          { as: 'admin' },
        )
      ).body.errors[0].code,
    ).toBe('match_ambiguous')
    const own = await hold('member')
    expect((await records.post(thing, { code: own.code }, { match_on: 'code' })).status).toBe(200)
    const bulk = await api.post(`${recordsPath(thing)}/bulk`, {
      as: 'member',
      query: { atomic: false },
      body: {
        data: [
          { type: thing, attributes: { code: hidden.code } },
          { type: thing, attributes: { code: own.code } },
        ],
        match_on: 'code',
      },
    })
    expect(bulk.body.results.map(({ status }: Json) => status)).toEqual([409, 200])
    expect(textOf(bulk.body)).not.toContain(hidden.id)
  })
})

test('what an object gives to members counts as soon as its schema says so', async () => {
  const thing = await schemas.make({ name: { type: 'string', xSvcPrimary: true } })
  const { id } = await records.create(thing, { name: 'Here' }, { as: 'admin' })
  const seen = async () => [
    (await records.get(thing, id)).status,
    (await records.list(thing)).body.meta.total_records,
    (await records.patch(thing, id, { name: `N ${nextNumber()}` })).status,
  ]
  expect(await seen()).toEqual([200, 1, 200])
  await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'view' }))
  expect(await seen()).toEqual([200, 1, 403])
  await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  expect(await seen()).toEqual([404, 0, 404])
  await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'edit' }))
  expect(await seen()).toEqual([200, 1, 200])
})

test('a change of a schema that it stands in the way of names it to admins alone', async () => {
  const thing = await schemas.make({ rank: { type: 'number' } })
  const { id } = await records.create(thing, { rank: 9 }, { as: 'admin' })
  await changes.edit(thing, (_properties, document) => (document.xSvcAccess = { default: 'none' }))
  const task = await changes.edit(thing, (properties) => (properties.rank.maximum = 5))
  expect(task.metadata.errors).toMatchObject([{ field: 'rank', count: 1, sample_ids: [id] }])
  for (const path of [`/workspaces/acme/async-tasks/${task._id}`, '/workspaces/acme/async-tasks']) {
    const { status, body } = await api.get(path, { as: 'member' })
    expect(status).toBe(200)
    expect(textOf(body)).not.toContain(id)
    expect(textOf(body)).toContain('"sample_ids":[]')
  }
})

test('a bulk change or deletion that names it fails as for an unknown id', async () => {
  const own = await records.create('meeting', {})
  for (const id of [secret.id, unknownId]) {
    const change = await api.patch(recordsPath('meeting'), {
      as: 'member',
      body: { data: [own.id, id].map((one) => ({ type: 'meeting', id: one, attributes: { title: 'New' } })) },
    })
    const removal = await records.remove('meeting', [own.id, id])
    const restoration = await records.restore('meeting', [id])
    const merge = await records.merge('meeting', own.id, [id])
    for (const { status, body } of [change, removal, restoration, merge]) {
      expect(status).toBe(404)
      expect(body.errors[0].meta?.ids).toEqual([id])
    }
  }
})
