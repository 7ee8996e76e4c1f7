import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { unknownId } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const lists = listsOf(app, 'admin')
const { path } = workflowsOf(app)

const onDeal = { plugin_id: 'on:svc:create:record', input: { object: 'deal' } }
const taskOf = (key: string, title = 'Call') => ({
  key,
  plugin_id: 'svc:create:record',
  input: { object: 'task', attributes: { title } },
})

const enable = (graph: Json) => app.api.post(path, { body: { name: 'Checked', enabled: true, ...graph } })

/** Lists the faults of a graph: the place, the node, and the words. */
async function faultsOf(graph: Json): Promise<Json[]> {
  const { status, body } = await enable(graph)
  expect(status).toBe(422)
  return body.errors.map(({ code, source, meta, detail }: Json) => {
    expect(code).toBe('invalid_body')
    return { at: source.pointer, node: meta?.node, detail }
  })
}

/** A chain with some blocks of it changed. */
function changed(graph: Json, changes: Json): Json {
  for (const [key, more] of Object.entries<Json>(changes)) graph.blocks[key] = { ...graph.blocks[key], ...more }
  return graph
}

const filter = (field: string, operator: string, value?: Json) => ({
  field,
  condition: { operator, ...(value !== undefined && { value }) },
})

/** The status of a refusal, and what it says of places. */
async function told(answer: Promise<Json>): Promise<Json> {
  const { status, body } = await answer
  return [status, body.errors.map((error: Json) => [error.source, error.meta])]
}

test('faults in what was not sent are told with what asks for it, and where in the workflow they are', async () => {
  const graph = changed(chain(onDeal, taskOf('one')), { one: { next: 'nowhere' } })
  const { data } = (await app.api.post(path, { body: { name: 'Draft', ...graph } })).body
  const at = `${path}/${data.id}`
  const meta = { node: 'one', workflow: '/blocks/one/next' }
  const nameless = { type: 'workflow', attributes: { enabled: true } }
  expect(await told(app.api.patch(at, { body: { enabled: true } }))).toEqual([422, [[{ pointer: '/enabled' }, meta]]])
  expect(await told(app.api.patch(at, { body: { data: nameless } }))).toEqual([
    422,
    [[{ pointer: '/data/attributes/enabled' }, meta]],
  ])
  expect(await told(app.api.post(`${at}/runs`, { body: { dry_run: true } }))).toEqual([
    422,
    [[{ pointer: '/dry_run' }, meta]],
  ])
  expect(await told(app.api.post(`${at}/runs`, { query: { dry_run: true }, body: {} }))).toEqual([
    422,
    [[{ parameter: 'dry_run' }, meta]],
  ])
})

describe('how nodes hang together', () => {
  test('a block that nothing leads to', async () => {
    const graph = changed(chain(onDeal, taskOf('one')), {
      lost: { plugin_id: 'svc:create:record', input: { object: 'task', attributes: { title: 'Lost' } } },
    })
    expect(await faultsOf(graph)).toEqual([
      { at: '/blocks/lost', node: 'lost', detail: expect.stringContaining('No path leads') },
    ])
  })

  test('blocks after a chain that was cut', async () => {
    const graph = changed(chain(onDeal, taskOf('one'), taskOf('two'), taskOf('three')), {
      one: { next: null },
      two: { prev: null },
    })
    expect((await faultsOf(graph)).map(({ at }) => at)).toEqual(['/blocks/two', '/blocks/three'])
  })

  test('a circle', async () => {
    const graph = changed(chain(onDeal, taskOf('one'), taskOf('two')), { two: { next: 'one' } })
    expect(await faultsOf(graph)).toEqual([
      { at: '/blocks/one', node: 'one', detail: 'The blocks form a loop through "one".' },
    ])
    const own = changed(chain(onDeal, taskOf('one')), { one: { next: 'one' } })
    expect((await faultsOf(own)).map(({ at }) => at)).toEqual(['/blocks/one'])
  })

  test('a circle through a branch', async () => {
    const graph = chain(onDeal, taskOf('one'), {
      key: 'fork',
      plugin_id: 'general:branch',
      input: { branches: [{ key: 'back', filter: { field: 'state.event.type', op: 'Is', value: 'x' }, next: 'one' }] },
    })
    expect((await faultsOf(graph)).map(({ at }) => at)).toContain('/blocks/one')
  })

  test.for(['nowhere', 'constructor', 'toString'])('a next block that there is not: %s', async (next) => {
    const graph = changed(chain(onDeal, taskOf('one')), { one: { next } })
    expect(await faultsOf(graph)).toEqual([
      { at: '/blocks/one/next', node: 'one', detail: `There is no block "${next}".` },
    ])
    expect((await faultsOf({ trigger: { ...onDeal, next } })).map(({ at }) => at)).toEqual(['/trigger/next'])
  })

  test('a wrong block before', async () => {
    const graph = changed(chain(onDeal, taskOf('one'), taskOf('two'), taskOf('three')), { three: { prev: 'one' } })
    expect(await faultsOf(graph)).toEqual([
      { at: '/blocks/three/prev', node: 'three', detail: 'The node "one" does not lead to "three".' },
    ])
  })

  test('keys that are taken', async () => {
    const graph = {
      ...chain(onDeal, taskOf('out')),
      exits: { out: { plugin_id: 'on:svc:delete:record', input: { object: 'deal' } } },
    }
    expect(await faultsOf(graph)).toMatchObject([{ at: '/blocks/out', node: 'out' }])
  })
})

const adding = (object: string, list_id: string) => ({
  key: 'add',
  plugin_id: 'svc:add-to-list',
  input: { object, list_id, record_ids: [unknownId] },
})

const joining = (input: Json) => ({ plugin_id: 'on:svc:add-to-list', input })

describe('a node', () => {
  test.for<[string, Json, string, string]>([
    ['block', { blocks: { one: { plugin_id: 'svc:create:recrod' } } }, '/blocks/one/plugin_id', 'svc:create:record'],
    ['trigger', { trigger: { plugin_id: 'on:svc:create:rekord' } }, '/trigger/plugin_id', 'on:svc:create:record'],
    ['exit', { exits: { e: { plugin_id: 'on:svc:delete:recor' } } }, '/exits/e/plugin_id', 'on:svc:delete:record'],
  ])('of an unknown plugin: %s', async ([, graph, at, suggested]) => {
    const found = (await faultsOf({ trigger: { ...onDeal, next: graph.blocks ? 'one' : null }, ...graph })).find(
      (fault) => fault.at === at,
    )
    expect(found?.detail).toContain(suggested)
  })

  test('whose plugin belongs elsewhere', async () => {
    expect(await faultsOf({ trigger: { plugin_id: 'svc:create:record' } })).toMatchObject([
      { at: '/trigger/plugin_id' },
    ])
    expect(await faultsOf({ trigger: onDeal, exits: { out: { plugin_id: 'on:manual:execution' } } })).toMatchObject([
      { at: '/exits/out/plugin_id', node: 'out' },
    ])
  })

  test('that is not for a sequence', async () => {
    const faults = await faultsOf({ type: 'sequence', ...chain(onDeal, taskOf('one')) })
    expect(faults.map(({ at }) => at)).toEqual(['/trigger/plugin_id', '/blocks/one/plugin_id'])
    expect(faults[1]?.detail).toContain('sequence')
    const wait = { key: 'wait', plugin_id: 'general:delay:for', input: { amount: 1, unit: 'days' } }
    expect((await enable({ type: 'sequence', ...chain({ plugin_id: 'on:manual:execution' }, wait) })).status).toBe(201)
  })

  test('of an unknown object', async () => {
    const one = { ...taskOf('one'), input: { object: 'taks', attributes: {} } }
    const faults = await faultsOf(chain({ ...onDeal, input: { object: 'dael' } }, one))
    expect(faults.map(({ at }) => at)).toEqual(['/trigger/input/object', '/blocks/one/input/object'])
    expect(faults[0]?.detail).toContain('deal')
    expect(faults[1]?.detail).toContain('task')
  })

  test.for<[string, Json, string, string]>([
    ['field', { fields: ['amount', 'amuont'] }, 'fields/1', 'amount'],
    ['field that is a relationship to many', { fields: ['people'] }, 'fields/0', 'people'],
  ])('of an unknown %s', async ([, input, at, named]) => {
    const trigger = { plugin_id: 'on:svc:update:record', input: { object: 'deal', ...input } }
    const wait = { key: 'wait', plugin_id: 'general:wait:event', input: trigger }
    expect(await faultsOf(chain(trigger, wait))).toEqual([
      { at: `/trigger/input/${at}`, detail: expect.stringContaining(named) },
      { at: `/blocks/wait/input/input/${at}`, node: 'wait', detail: expect.stringContaining(named) },
    ])
  })

  test('of an unknown relationship', async () => {
    const input = { object: 'deal', relationship: 'compnay_id' }
    const set = {
      key: 'set',
      plugin_id: 'svc:set-relationship',
      input: { ...input, record_id: unknownId, ids: [unknownId] },
    }
    const faults = await faultsOf({
      ...chain({ plugin_id: 'on:svc:set-relationship', input }, set),
      exits: { out: { plugin_id: 'on:svc:unset-relationship', input } },
    })
    const at = ['/trigger/input/relationship', '/blocks/set/input/relationship', '/exits/out/input/relationship']
    expect(faults.map((fault) => fault.at)).toEqual(at)
    expect(faults.map(({ node }) => node)).toEqual([undefined, 'set', 'out'])
    for (const { detail } of faults) expect(detail).toContain('company_id')
    for (const relationship of ['company_id', 'people', 'owner_id']) {
      const known = { plugin_id: 'on:svc:change-relationship', input: { object: 'deal', relationship } }
      expect((await enable({ trigger: known })).status).toBe(201)
    }
  })

  test('of an unknown list, or one of another object, or one that is hidden', async () => {
    const list = await lists.create('person')
    const both = ['/trigger/input/list_id', '/blocks/add/input/list_id']
    for (const id of [unknownId, 'none']) {
      const graph = chain(joining({ list_id: id }), adding('person', id))
      expect((await faultsOf(graph)).map(({ at }) => at)).toEqual(both)
    }
    const elsewhere = chain(joining({ object: 'company', list_id: list.id }), adding('company', list.id))
    expect((await faultsOf(elsewhere)).map(({ at }) => at)).toEqual(both)
    const graph = chain(joining({ list_id: list.id }), adding('person', list.id))
    const asMember = await app.api.post(path, { as: 'member', body: { name: 'Hidden', enabled: true, ...graph } })
    expect([asMember.status, asMember.body.errors.map(({ source }: Json) => source.pointer)]).toEqual([422, both])
    const variable = chain(onDeal, adding('person', '{{trigger.state.event.object.data.name}}'))
    for (const known of [graph, variable]) expect((await enable(known)).status).toBe(201)
  })

  test.for(['svc:create:record', 'svc:update:record', 'svc:upsert:record'])(
    'of unknown attributes, or those that cannot be written: %s',
    async (plugin_id) => {
      const attributes = { title: 'A', titel: 'B', people: [], _created_at: null, constructor: 1 }
      const more = { 'svc:update:record': { record_id: unknownId }, 'svc:upsert:record': { match_on: 'title' } }
      const input = { object: 'task', attributes, ...more[plugin_id as keyof typeof more] }
      const faults = await faultsOf(chain(onDeal, { key: 'write', plugin_id, input }))
      const at = '/blocks/write/input'
      expect(faults.map((fault) => fault.at)).toEqual([
        ...(plugin_id === 'svc:upsert:record' ? [`${at}/match_on`] : []),
        `${at}/attributes/titel`,
        `${at}/attributes/people`,
        `${at}/attributes/_created_at`,
        `${at}/attributes/constructor`,
      ])
      expect(faults.map(({ node }) => node)).toEqual(faults.map(() => 'write'))
      expect(faults.find((fault) => fault.at.endsWith('titel'))?.detail).toContain('Did you mean "title"?')
    },
  )

  test('whose input is not as its schema says', async () => {
    const missing = { ...taskOf('one'), input: { object: 'task' } }
    expect((await faultsOf(chain(onDeal, missing))).map(({ at }) => at)).toEqual(['/blocks/one/input/attributes'])
    const more = { ...taskOf('one'), input: { object: 'task', attributes: {}, colour: 'red' } }
    expect((await faultsOf(chain(onDeal, more)))[0]?.detail).toContain('colour')
    const wait = (input: Json) => chain(onDeal, { key: 'wait', plugin_id: 'general:delay:for', input })
    expect((await faultsOf(wait({ amount: 'two', unit: 'days' }))).map(({ at }) => at)).toEqual([
      '/blocks/wait/input/amount',
    ])
    expect((await faultsOf(wait({ amount: 2, unit: 'moons' }))).map(({ at }) => at)).toEqual([
      '/blocks/wait/input/unit',
    ])
  })

  test.for([
    ['0 12 10 *', 'UTC', '/trigger/input/cron'],
    ['99 9 * * *', 'UTC', '/trigger/input/cron'],
    ['0 0 30 2 *', 'UTC', '/trigger/input/cron'],
    ['0 9 * * *', 'Mars/Olympus', '/trigger/input/time_zone'],
  ] as const)('with a schedule that never comes: %s in %s', async ([cron, time_zone, at]) => {
    const graph = { trigger: { plugin_id: 'on:general:time:heartbeat', input: { cron, time_zone } } }
    expect((await faultsOf(graph)).map((fault) => fault.at)).toEqual([at])
  })
})

const waitFor = (amount: string) =>
  chain(onDeal, { key: 'wait', plugin_id: 'general:delay:for', input: { amount, unit: 'days' } })

test('only so many variables, unknown names and conditions are looked at', async () => {
  const many = taskOf('one', '{{trigger.state.event.type}}'.repeat(2001))
  expect(await faultsOf(chain(onDeal, many))).toMatchObject([
    { at: '/blocks/one/input', detail: 'The node "one" has more than 2000 variables.' },
  ])
  const names = Object.fromEntries(Array.from({ length: 9000 }, (_, index) => [`n${index}`, 1]))
  const unknown = {
    key: 'one',
    plugin_id: 'svc:create:record',
    input: { object: 'task', attributes: { title: 'A', ...names } },
  }
  expect(await faultsOf(chain(onDeal, unknown))).toHaveLength(100)
  expect(await faultsOf(chain(onDeal, { ...taskOf('one'), input: names }))).toHaveLength(100)
  const leaf = { field: 'title', op: 'Is', value: 'x' }
  const wide = { and: Array.from({ length: 30 }, () => ({ or: Array.from({ length: 30 }, () => leaf) })) }
  const find = { key: 'find', plugin_id: 'svc:find:records', input: { object: 'task', filter: wide } }
  expect(await faultsOf(chain(onDeal, find))).toMatchObject([
    { at: '/blocks/find/input/filter', detail: 'A filter can have at most 50 conditions.' },
  ])
})

describe('variables', () => {
  test.for([
    'trigger.state.event.object.data.amuont',
    'trigger.state.event.objekt._id',
    'trigger.event.object._id',
    'state.event.object._id',
    'nowhere.state.output',
    'one.state.output.record.id',
    'two.state.output.record.id',
    'trigger.__proto__.x',
    'trigger.state.event.object.data.constructor',
    'constructor.state.output',
    '__proto__.state.output',
  ])('that nothing before provides: %s', async (variable) => {
    for (const text of [`{{${variable}}}`, `Call {{ ${variable} }} now`]) {
      const faults = await faultsOf(chain(onDeal, taskOf('one', text), taskOf('two')))
      expect(faults).toMatchObject([{ at: '/blocks/one/input/attributes/title', node: 'one' }])
      expect(faults[0]?.detail).toContain(variable)
    }
  })

  test('that are there', async () => {
    const graph = chain(
      onDeal,
      taskOf('one', '{{trigger.state.event.object.data.name}} {{trigger.state.event.actor._id}}'),
      taskOf('two', '{{one.state.output.record.id}} {{ trigger.state.event.object._id }}'),
    )
    expect((await enable(graph)).status).toBe(201)
  })

  test('of a type that does not fit', async () => {
    const faults = await faultsOf(waitFor('{{trigger.state.event.object.data.name}}'))
    expect(faults).toMatchObject([{ at: '/blocks/wait/input/amount', node: 'wait' }])
    expect(faults[0]?.detail).toContain('string')
    expect((await enable(waitFor('{{trigger.state.event.object.data.amount}}'))).status).toBe(201)
  })
})

const filtered = (...filters: Json[]) => ({ trigger: { ...onDeal, filters } })

const filteredBlock = (field: string) =>
  chain(onDeal, taskOf('one'), { ...taskOf('two'), filters: [filter(field, 'Is set')] }, taskOf('three'))

describe('filters', () => {
  const amount = 'state.event.object.data.amount'

  test.for<[string, Json, string]>([
    ['an unknown operator', filter(amount, 'Bigger than', 5), '/trigger/filters/0/condition/operator'],
    ['an operator of every object', filter(amount, 'constructor', 5), '/trigger/filters/0/condition/operator'],
    ['an unknown field', filter('state.event.object.data.amuont', 'gt', 5), '/trigger/filters/0/field'],
    ['a missing value', filter(amount, 'Greater than'), '/trigger/filters/0/condition/value'],
    ['several values for one', filter(amount, 'Greater than', [1, 2]), '/trigger/filters/0/condition/value'],
    ['a value where none is needed', filter(amount, 'Is set', 5), '/trigger/filters/0/condition/value'],
    ['a change of what is no field', filter('state.event.type', 'Changed'), '/trigger/filters/0/field'],
    ['a block that runs later', filter('one.state.output.record.id', 'Is set'), '/trigger/filters/0/field'],
  ])('%s', async ([, given, at]) => {
    expect((await faultsOf(filtered(given))).map((fault) => fault.at)).toEqual([at])
  })

  test('that can be', async () => {
    const filters = [
      filter(amount, 'Greater than', 5),
      filter(amount, 'Changed'),
      filter(amount, 'Changed from', 5),
      filter('state.event.object.data.name', 'One of', ['a', 'b']),
      filter('state.event.object.data.name', 'Is set'),
    ]
    expect((await enable(filtered(...filters))).status).toBe(201)
  })

  test('of a block look at blocks before it, not after it', async () => {
    expect((await enable(filteredBlock('one.state.output.record.id'))).status).toBe(201)
    expect(await faultsOf(filteredBlock('three.state.output.record.id'))).toMatchObject([
      { at: '/blocks/two/filters/0/field', node: 'two' },
    ])
  })
})

test('all faults are told at once', async () => {
  const graph = changed(
    chain(
      { ...onDeal, filters: [filter('state.event.object.data.amount', 'Bigger')] },
      { ...taskOf('one', '{{trigger.state.no}}'), filters: [filter('state.no', 'Is set')] },
      { key: 'two', plugin_id: 'svc:no:such' },
      { ...taskOf('three'), input: { object: 'nothing' } },
    ),
    { three: { next: 'one', prev: 'one' } },
  )
  expect((await faultsOf(graph)).map(({ at }): string => at).toSorted()).toEqual([
    '/blocks/one',
    '/blocks/one/filters/0/field',
    '/blocks/one/input/attributes/title',
    '/blocks/three/input/attributes',
    '/blocks/three/input/object',
    '/blocks/three/prev',
    '/blocks/two/plugin_id',
    '/trigger/filters/0/condition/operator',
  ])
})
