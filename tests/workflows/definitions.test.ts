import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { pointersOf, unknownId } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const { create, path, runsPath, runIn, until } = workflowsOf(app)

const byHand = { plugin_id: 'on:manual:execution' }
const makeTask = { key: 'task', plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'A' } } }
const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }

const get = (id: string) => app.api.get(`${path}/${id}`)
const patch = (id: string, body: Json, more: Json = {}) => app.api.patch(`${path}/${id}`, { body, ...more })
const by = (column: string, dir: 'ASC' | 'DESC') => ({ 'sortOrder[column]': column, 'sortOrder[dir]': dir })
const namesOf = ({ body }: Json): string[] => body.data.map(({ attributes }: Json) => attributes.name)

const envelope = (attributes: Json) => ({ body: { data: { type: 'workflow', attributes } } })
const withBlocks = (keys: string[]) => ({
  name: 'Many',
  blocks: Object.fromEntries(keys.map((key) => [key, { plugin_id: 'general:delay:for' }])),
})
const list = (query: Json) => app.api.get(path, { query: { search: 'find', ...query } })

describe('a new workflow', () => {
  test('is a draft with all attributes, and may be unfinished', async () => {
    const data = await create({ name: 'Unfinished', blocks: { lost: { plugin_id: 'svc:no:such', next: 'nowhere' } } })
    expect(data.attributes).toMatchObject({
      name: 'Unfinished',
      description: '',
      enabled: false,
      type: 'workflow',
      published_at: null,
      trigger: { _id: 'trigger', plugin_id: 'on:manual:execution', filters: [], input: {}, prev: null, next: null },
      blocks: { lost: { _id: 'lost', plugin_id: 'svc:no:such', filters: [], input: {}, prev: null, next: 'nowhere' } },
      exits: {},
      run_limits: {},
      version: 1,
      owner_id: app.userIds.admin,
      acting_id: app.userIds.admin,
      stopped_reason: null,
      _created_by: app.userIds.admin,
    })
    expect((await get(data.id)).body.data).toEqual(data)
  })

  test('may come in an envelope, and its faults are told where they stand in it', async () => {
    expect((await app.api.post(path, envelope({ name: 'Wrapped' }))).body.data.attributes.name).toBe('Wrapped')
    const refused = await app.api.post(path, envelope({ name: 'No', enabled: true, trigger: { plugin_id: 'on:no' } }))
    expect([refused.status, pointersOf(refused)]).toEqual([422, ['/data/attributes/trigger/plugin_id']])
  })

  test.for<[string, Json, string]>([
    ['a trigger', { trigger: { _id: 'begin', ...byHand } }, '/trigger/_id'],
    ['a block', { blocks: { one: { _id: 'two', plugin_id: 'svc:create:record' } } }, '/blocks/one/_id'],
    ['an exit', { exits: { out: { _id: 'in', plugin_id: 'on:svc:delete:record' } } }, '/exits/out/_id'],
  ])('is refused where %s says another id than its key', async ([, graph, pointer]) => {
    const refused = await app.api.post(path, { body: { name: 'Keys', ...graph } })
    expect([refused.status, pointersOf(refused)]).toEqual([422, [pointer]])
    const { id } = await create({ name: 'Keys' })
    expect(pointersOf(await patch(id, graph))).toEqual([pointer])
  })

  test.for(['constructor', 'toString', 'hasOwnProperty'])('may have a block named %s', async (key) => {
    const { id } = await create({ name: 'Names', enabled: true, ...chain(byHand, { ...makeTask, key }) })
    const { body } = await app.api.post(`${path}/${id}/runs`, { body: {} })
    expect((await runIn(body.data.id)).attributes).toMatchObject({ status: 'success', steps: [{ block_id: key }] })
    await patch(id, { trigger: byHand, blocks: {} })
    const { body: compared } = await app.api.get(`${path}/${id}/versions/2/diff`)
    expect(compared.data.attributes.diff).toMatchObject([
      { op: 'update', path: ['trigger', 'next'], val: null, oldVal: key },
      { op: 'delete', path: ['blocks', key], val: null, oldVal: { _id: key } },
    ])
    const { body: back } = await app.api.get(`${path}/${id}/versions/1/diff`, { query: { with: 2 } })
    expect(back.data.attributes.diff[1]).toMatchObject({ op: 'add', path: ['blocks', key], oldVal: null })
  })

  test('is refused where its blocks are too many or their names are none', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `b${index}`)
    expect((await app.api.post(path, { body: withBlocks(many) })).status).toBe(422)
    expect((await app.api.post(path, { body: withBlocks(['a b']) })).status).toBe(422)
    const hidden = '{"name":"Hidden","blocks":{"__proto__":{"plugin_id":"general:delay:for"}}}'
    expect((await app.api.post(path, { body: hidden })).status).toBe(422)
  })
})

describe('the list', () => {
  test('is filtered, searched and sorted', async () => {
    const mine = await create({ name: 'Zebra find', ...chain(byHand, makeTask), enabled: true }, 'member')
    await create({ name: 'apple FIND', type: 'sequence' })
    await create({ name: 'Mango find', trigger: { plugin_id: 'on:svc:create:record', input: { object: 'deal' } } })
    const all = await list({})
    expect(namesOf(all)).toEqual(['Zebra find', 'apple FIND', 'Mango find'])
    expect(all.body.meta).toMatchObject({ total_records: 3, total_pages: 1 })
    expect(namesOf(await list(by('name', 'ASC')))).toEqual(['apple FIND', 'Mango find', 'Zebra find'])
    expect(namesOf(await list(by('_created_at', 'DESC')))).toEqual(['Mango find', 'apple FIND', 'Zebra find'])
    expect(namesOf(await list({ 'filter[enabled]': true }))).toEqual(['Zebra find'])
    expect(namesOf(await list({ 'filter[enabled]': false, ...by('name', 'ASC') }))).toEqual([
      'apple FIND',
      'Mango find',
    ])
    expect(namesOf(await list({ 'filter[type]': 'sequence' }))).toEqual(['apple FIND'])
    for (const [condition, names] of [
      ['=APPLE find', ['apple FIND']],
      ['[Is]=mango find', ['Mango find']],
      ['[ne]=mango find', ['Zebra find', 'apple FIND']],
      ['[Contains]=an', ['Mango find']],
      ['[Does not contain]=an', ['Zebra find', 'apple FIND']],
      ['[Starts with]=ZE', ['Zebra find']],
      ['[Ends with]=e find', ['apple FIND']],
      ['[contains]=%', []],
      ['[Is empty]=', []],
      ['[Is not empty]=', ['Zebra find', 'apple FIND', 'Mango find']],
    ] as const) {
      const [operator, value] = condition.split('=') as [string, string]
      expect(namesOf(await list({ [`filter[name]${operator}`]: value })), condition).toEqual(names)
    }
    const both = { 'filter[name][Contains]': 'e', 'filter[name][Is not]': 'apple find' }
    const narrowed = await list({ ...both, 'page[limit]': 1 })
    expect([namesOf(narrowed), narrowed.body.meta.total_records]).toEqual([['Zebra find'], 1])
    expect(namesOf(await list({ ...both, 'filter[name]': 'mango find' }))).toEqual([])
    const first = await list({ 'filter[name][Is not]': 'zebra find', 'filter[name][Ends with]': 'd', 'page[limit]': 1 })
    const second = await app.api.get(first.body.links.next.slice(app.baseUrl.length))
    expect([namesOf(first), namesOf(second)]).toEqual([['apple FIND'], ['Mango find']])
    const unknown = await list({ 'filter[name][Greater than]': 'a' })
    expect([unknown.status, unknown.body.errors[0].code, unknown.body.errors[0].source]).toEqual([
      400,
      'unknown_operator',
      { parameter: 'filter[name][Greater than]' },
    ])
    expect(namesOf(await list({ 'filter[trigger]': 'on:svc:create:record' }))).toEqual(['Mango find'])
    expect(namesOf(await list({ 'filter[owner_id]': mine.attributes.owner_id }))).toEqual(['Zebra find'])
    expect(namesOf(await list({ 'filter[owner_id]': 'none' }))).toEqual([])
    const page = await list({ ...by('name', 'ASC'), 'page[limit]': 1, 'page[offset]': 1 })
    expect([namesOf(page), page.body.meta.total_records]).toEqual([['Mango find'], 3])
    expect((await list({ 'filter[colour]': 'red' })).status).toBe(400)
    expect((await list(by('colour', 'ASC'))).status).toBe(400)
  })
})

describe('a change', () => {
  test('changes only what is present', async () => {
    const before = await create({
      name: 'Before',
      description: 'Says what',
      ...chain(byHand, makeTask),
      run_limits: { max_depth: 3 },
    })
    await app.events()
    const { status, body } = await patch(before.id, { name: 'After' })
    expect(status).toBe(200)
    expect(body.data.attributes).toEqual({
      ...before.attributes,
      name: 'After',
      _updated_at: body.data.attributes._updated_at,
    })
    expect(await app.events()).toMatchObject([{ type: 'workflow.updated', record_id: before.id }])
    const limited = await patch(before.id, { run_limits: { max_runs_per_minute: 5 } })
    expect(limited.body.data.attributes).toMatchObject({
      version: 2,
      run_limits: { max_runs_per_minute: 5 },
      blocks: before.attributes.blocks,
      trigger: before.attributes.trigger,
    })
    expect(limited.body.data.attributes.run_limits).not.toHaveProperty('max_depth')
    expect((await patch(before.id, { description: null })).body.data.attributes.description).toBe('')
  })

  test('without a difference leaves no version and no event', async () => {
    const before = await create({ name: 'Same', ...chain(byHand, makeTask), run_limits: { max_depth: 3 } })
    const { headers } = await get(before.id)
    await app.events()
    const { name, description, trigger, blocks, exits, run_limits, enabled } = before.attributes
    const same = { name, description, trigger, blocks, exits, run_limits, enabled, published_at: null }
    expect((await patch(before.id, same)).body.data).toEqual(before)
    expect((await patch(before.id, {})).body.data).toEqual(before)
    const restored = await app.api.post(`${path}/${before.id}/versions/1/restore`)
    expect(restored.body.data).toEqual(before)
    expect(await app.events()).toEqual([])
    expect((await get(before.id)).headers['etag']).toBe(headers['etag'])
    expect((await app.api.get(`${path}/${before.id}/versions`)).body.meta.total_records).toBe(1)
  })

  test('is rehearsed: everything is checked, nothing is written, and the answer says what would differ', async () => {
    const before = await create({ name: 'Rehearsed', ...chain(byHand, makeTask) }, 'member')
    const { headers } = await get(before.id)
    await app.events()
    const dry = { query: { dry_run: true }, headers: { 'If-Match': String(headers['etag']) } }
    const change = { name: 'Changed', enabled: true, run_limits: { max_depth: 3 } }
    const { status, body } = await patch(before.id, change, dry)
    expect([status, body.data.attributes]).toMatchObject([200, { ...change, version: 2, acting_id: app.userIds.admin }])
    expect(body.meta.dry_run).toBe(true)
    expect(body.meta.diff.map(({ op, path: [...at] }: Json) => `${op} ${at.join('.')}`).toSorted()).toEqual([
      'add run_limits.max_depth',
      'update acting_id',
      'update enabled',
      'update name',
      'update published_at',
    ])
    expect(await app.events()).toEqual([])
    expect((await get(before.id)).body.data).toEqual(before)
    expect((await patch(before.id, {}, dry)).body.meta).toEqual({ dry_run: true, diff: [] })
    expect((await patch(before.id, { enabled: true, blocks: { lost: makeTask.input } }, dry)).status).toBe(422)
    expect((await patch(before.id, change, { ...dry, as: 'viewer' })).status).toBe(403)
    await patch(before.id, { name: 'Meanwhile' })
    expect((await patch(before.id, change, dry)).status).toBe(412)
  })

  test('is refused where the workflow has changed since it was read', async () => {
    const { id } = await create({ name: 'Raced' })
    const { headers } = await get(id)
    const given = { headers: { 'If-Match': String(headers['etag']) } }
    const answers = await Promise.all(['One', 'Two', 'Three'].map((name) => patch(id, { name }, given)))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 412, 412])
    expect((await app.api.delete(`${path}/${id}`, given)).status).toBe(412)
  })

  test('names the workflow of its path, or none', async () => {
    const { id } = await create({ name: 'Named' })
    const named = (other: string) => patch(id, { data: { type: 'workflow', id: other, attributes: { name: 'New' } } })
    expect((await named(id)).body.data.attributes.name).toBe('New')
    expect((await named(unknownId)).status).toBeGreaterThanOrEqual(400)
    expect((await patch(unknownId, { name: 'New' })).status).toBe(404)
    expect((await patch('nothing', { name: 'New' })).status).toBe(404)
    expect((await app.api.get(`/workspaces/other/workflows/${id}`, { as: 'stranger' })).status).toBe(404)
  })

  test('may enable, disable and make a draft again', async () => {
    const { id } = await create({ name: 'States', ...chain(byHand, makeTask) })
    const enabled = (await patch(id, { enabled: true })).body.data.attributes
    expect(enabled).toMatchObject({ enabled: true, published_at: expect.stringMatching(/Z$/), version: 1 })
    const disabled = (await patch(id, { enabled: false })).body.data.attributes
    expect(disabled).toMatchObject({ enabled: false, published_at: enabled.published_at })
    await patch(id, { enabled: true })
    const draft = (await patch(id, { published_at: null })).body.data.attributes
    expect(draft).toMatchObject({ enabled: false, published_at: null })
    expect((await app.api.post(`${path}/${id}/runs`, { body: {} })).status).toBe(403)
    const unfinished = await patch(id, { blocks: { lost: { plugin_id: 'svc:no:such' } } })
    expect(unfinished.status).toBe(200)
    expect((await patch(id, { enabled: true })).status).toBe(422)
    expect((await patch(id, { published_at: '2026-01-01T00:00:00.000Z' })).status).toBe(422)
  })
})

describe('versions', () => {
  test('are listed, read, compared and restored', async () => {
    const { id } = await create({ name: 'History', ...chain(byHand, makeTask) })
    await patch(id, { blocks: { task: { ...makeTask, key: undefined, input: { object: 'deal' }, prev: 'trigger' } } })
    await patch(id, { run_limits: { max_depth: 2 } })
    const of = `${path}/${id}/versions`
    const numbers = async (query = {}) =>
      (await app.api.get(of, { query })).body.data.map(({ attributes }: Json) => attributes.version)
    expect(await numbers()).toEqual([3, 2, 1])
    expect(await numbers({ ...by('version', 'ASC'), 'page[limit]': 2 })).toEqual([1, 2])
    expect((await app.api.get(`${of}/1`)).body.data).toMatchObject({
      type: 'workflow-version',
      id: `${id}:1`,
      attributes: { blocks: { task: { input: makeTask.input } }, run_limits: {} },
    })
    const diff = async (version: number, query = {}) =>
      (await app.api.get(`${of}/${version}/diff`, { query })).body.data.attributes
    expect(await diff(3)).toEqual({
      from: 2,
      to: 3,
      diff: [{ op: 'add', path: ['run_limits', 'max_depth'], val: 2, oldVal: null }],
    })
    const { diff: all } = await diff(1, { with: 3 })
    expect(all.map(({ op, path: where }: Json) => `${op} ${where.join('.')}`).toSorted()).toEqual([
      'add blocks.task.input.attributes',
      'delete run_limits.max_depth',
      'update blocks.task.input.object',
    ])
    expect((await diff(1)).diff).toEqual([])
    const restored = await app.api.post(`${of}/1/restore`)
    expect(restored.body.data.attributes).toMatchObject({ version: 4, run_limits: {}, name: 'History' })
    expect((await diff(4, { with: 1 })).diff).toEqual([])
    for (const none of ['0', '5', '1.5', '-1', 'x', '99999999999'])
      expect((await app.api.get(`${of}/${none}`)).status, none).toBe(404)
  })

  test('are what runs stay on that began with them', async () => {
    const { id } = await create({
      name: 'Stay',
      enabled: true,
      ...chain(byHand, pause, { ...makeTask, input: { object: 'task', attributes: { title: 'Old way' } } }),
    })
    const { body } = await app.api.post(`${path}/${id}/runs`, { body: {} })
    await runIn(body.data.id, 'waiting')
    await patch(id, chain(byHand, { ...makeTask, key: 'other' }))
    await app.api.post(`${runsPath}/${body.data.id}/resume`)
    const { attributes } = await runIn(body.data.id)
    expect(attributes).toMatchObject({ status: 'success', workflow_version: 1 })
    expect(attributes.steps[1].output.record.attributes.title).toBe('Old way')
  })
})

test('a workflow that is deleted is gone with its versions and runs, and what goes on ends', async () => {
  const { id } = await create({ name: 'Gone', enabled: true, ...chain(byHand, pause, makeTask) })
  const { body } = await app.api.post(`${path}/${id}/runs`, { body: {} })
  await runIn(body.data.id, 'waiting')
  await app.events()
  expect((await app.api.delete(`${path}/${id}`)).status).toBe(202)
  expect(await app.events()).toMatchObject([{ type: 'workflow.deleted', record_id: id }])
  const gone = [`${path}/${id}`, `${path}/${id}/versions`, `${path}/${id}/runs`, `${runsPath}/${body.data.id}`]
  for (const one of gone) expect((await app.api.get(one)).status).toBe(404)
  for (const act of ['resume', 'cancel'])
    expect((await app.api.post(`${runsPath}/${body.data.id}/${act}`)).status).toBe(404)
  const workspaceId = await app.workspaceId('acme')
  await until(async () => {
    const left = (await app.rows(workspaceId)).filter((row) => row.startsWith('workflow') && row.includes(id))
    return left.length === 0
  })
  expect((await app.api.delete(`${path}/${id}`)).status).toBe(404)
})

describe('a workflow is changed by its owner and by admins', () => {
  test('and by no other member', async () => {
    const { id } = await create({ name: 'Of a member' }, 'member')
    const other = await app.addMember('member', 'another')
    const { key } = await createKey(app.api.post, 'member', { scopes: ['workflows:read'] })
    const attempts = (as: Json) => [
      app.api.patch(`${path}/${id}`, { as, body: { name: 'Mine now' } }),
      app.api.post(`${path}/${id}/versions/1/restore`, { as }),
      app.api.delete(`${path}/${id}`, { as }),
      app.api.post(`${path}/${id}/runs`, { as, body: { dry_run: true } }),
    ]
    for (const as of [other.as, 'viewer', { authorization: `api-key ${key}` }])
      expect((await Promise.all(attempts(as))).map(({ status }) => status)).toEqual([403, 403, 403, 403])
    expect((await app.api.get(`${path}/${id}`, { as: other.as })).status).toBe(200)
    expect((await patch(id, { name: 'By an admin' })).body.data.attributes).toMatchObject({
      owner_id: app.userIds.member,
      acting_id: app.userIds.member,
      _updated_by: app.userIds.admin,
    })
    expect((await patch(id, { name: 'By its owner' }, { as: 'member' })).status).toBe(200)
    expect((await app.api.delete(`${path}/${id}`, { as: 'memberKey' })).status).toBe(202)
  })
})
