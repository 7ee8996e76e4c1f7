import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { createKey } from '../harness/people.ts'
import type { Json } from '../harness/http.ts'
import { notificationsOf } from '../harness/notifications.ts'
import { recordsOf } from '../harness/records.ts'
import { changesOf, objectPath, schemasOf } from '../harness/schemas.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, endedRuns, run, runIn, runs, until, path, runsPath } = workflowsOf(app)
const notifications = notificationsOf(app)
const lists = listsOf(app, 'admin')
const { make } = schemasOf(app)
const { edit } = changesOf(app)

const data = 'state.event.object.data'
const own = '{{trigger.state.event.object._id}}'
const name = { type: 'string', xSvcPrimary: true }

const attributesOf = async (id: string): Promise<Json> => (await app.api.get(`${path}/${id}`)).body.data.attributes

const condition = (field: string, operator: string, value?: unknown): Json => ({
  field,
  condition: { operator, ...(value !== undefined && { value }) },
})

/** Changes an object: `stage` becomes `phase` and loses options, `size` takes its name. */
const swap = (object: string) =>
  edit(object, (properties) => {
    properties.stage = { type: 'number', xSvcPrevName: 'size' }
    properties.phase = { enum: ['A,B', 'B'], xSvcPrevName: 'stage' }
    delete properties.size
  })

const swapped = { name, size: { type: 'number' }, stage: { enum: ['A', 'A,B', 'B', 'C'] } }

const hintOf = (stage: string, other: string, size: string): string =>
  `{{trigger.${data}.${stage}|default:"${other}"}} \\{{trigger.${data}.${other}}} {{ trigger.${data}.${size} }}`

/** Names the fields `stage` and `size` wherever a graph can name fields; here by the names they are given. */
function graphOf(object: string, { stage, size, options }: { stage: string; size: string; options: Json }): Json {
  const field = `${data}.${stage}`
  const onUpdate = { plugin_id: 'on:svc:update:record', input: { object, fields: [stage, 'name'] } }
  const hint = hintOf(stage, stage, size)
  return {
    ...chain(
      { ...onUpdate, filters: [options.some, condition(`${data}.${size}`, 'Greater than', 1)] },
      {
        key: 'find',
        plugin_id: 'svc:find:records',
        input: {
          object,
          filter: { and: [options.leaf, { not: { field: size, op: 'Is', value: `{{trigger.${data}.${size}}}` } }] },
          sort: [{ column: size, dir: 'ASC' }],
        },
      },
      {
        key: 'set',
        plugin_id: 'svc:update:record',
        filters: [condition(`trigger.${field}`, 'Contains', 'B'), options.changed],
        input: { object, record_id: own, attributes: { [size]: 7, name: hint } },
      },
      {
        key: 'fork',
        plugin_id: 'general:branch',
        input: {
          branches: [
            {
              key: 'x',
              filter: {
                or: [{ field: `set.state.output.record.attributes.${size}`, op: 'Is', value: 7 }, options.own],
              },
              next: 'wait',
            },
          ],
        },
      },
      {
        key: 'wait',
        plugin_id: 'general:wait:event',
        input: { plugin_id: 'on:svc:update:record', input: { object, fields: [size] } },
      },
      {
        key: 'last',
        plugin_id: 'svc:create:record',
        input: {
          object,
          attributes: {
            name: [
              `{{wait.state.output.event.object.data.${size}}}`,
              `{{find.state.output.records.0.attributes.${stage}}}`,
            ].join(' '),
          },
        },
      },
    ),
    exits: {
      left: {
        plugin_id: 'on:svc:delete:record',
        input: { object },
        filters: [condition(`${data}.${size} | default:1`, 'Less than', 0)],
      },
    },
  }
}

test('a graph follows its fields under their new names, and loses the options that are removed', async () => {
  const object = await make(swapped)
  const { id } = await create({
    name: 'Follows',
    enabled: true,
    ...graphOf(object, {
      stage: 'stage',
      size: 'size',
      options: {
        some: condition(`${data}.stage`, 'One of', ['A', 'A,B', 'B']),
        leaf: {
          or: [
            { field: 'stage', op: 'One of', value: ['A', 'B', `{{trigger.${data}.stage}}`] },
            { field: 'stage', op: 'Is not', value: `{{trigger.${data}.stage}}` },
          ],
        },
        changed: condition(`${data}.stage`, 'Changed to', 'B'),
        own: { field: `${data}.stage`, op: 'One of', value: ['C', 'B'] },
      },
    }),
  })
  const before = await attributesOf(id)
  expect(await swap(object)).toMatchObject({ state: 'completed' })
  const after = await attributesOf(id)
  const expected = graphOf(object, {
    stage: 'phase',
    size: 'stage',
    options: {
      some: condition(`${data}.phase`, 'One of', ['A,B', 'B']),
      leaf: {
        or: [
          { field: 'phase', op: 'One of', value: ['B', `{{trigger.${data}.phase}}`] },
          { field: 'phase', op: 'Is not', value: `{{trigger.${data}.phase}}` },
        ],
      },
      changed: condition(`${data}.phase`, 'Changed to', 'B'),
      own: { field: `${data}.phase`, op: 'One of', value: ['B'] },
    },
  })
  // Words of a text beside its variables are no names.
  expected.blocks.set.input.attributes.name = hintOf('phase', 'stage', 'stage')
  expect(after).toMatchObject({ enabled: true, stopped_reason: null, version: 2, ...expected })
  expect((await app.api.get(`${path}/${id}/versions/1`)).body.data.attributes).toMatchObject({
    trigger: before.trigger,
    blocks: before.blocks,
    exits: before.exits,
  })
  const [right, wrong] = await records.createMany(object, [
    { stage: 2, phase: 'A,B' },
    { stage: 2, phase: null },
  ])
  for (const { id: record } of [wrong, right]) await records.patch(object, record, { name: 'x' })
  // Its last filter asks for a change of the phase.
  await until(async () => (await runs(id)).length > 0)
  expect((await runs(id)).map(({ attributes }) => attributes.record_id)).toEqual([right.id])
})

test('a run under way keeps the graph that it began with', async () => {
  const object = await make({ name, note: { type: 'string' } })
  const { id } = await create({
    name: 'Keeps',
    enabled: true,
    ...chain(
      { plugin_id: 'on:svc:create:record', input: { object } },
      { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } },
      {
        key: 'set',
        plugin_id: 'svc:update:record',
        input: { object, record_id: own, attributes: { name: `{{trigger.${data}.note}}` } },
      },
    ),
  })
  const first = await records.create(object, { note: 'old' })
  const [begun] = await until(async () => {
    const found = await runs(id)
    return found.length > 0 && found
  })
  await runIn(begun?.id, 'waiting')
  await edit(object, (properties) => {
    properties.remark = { type: 'string', xSvcPrevName: 'note' }
    delete properties.note
  })
  await app.api.post(`${runsPath}/${begun?.id}/resume`)
  expect((await runIn(begun?.id)).attributes).toMatchObject({ status: 'success', workflow_version: 1 })
  expect((await records.get(object, first.id)).body.data.attributes.name).toBe('old')
  expect((await attributesOf(id)).blocks.set.input.attributes).toEqual({ name: `{{trigger.${data}.remark}}` })
  expect((await run(begun?.id)).attributes.workflow_version).toBe(1)
})

test('a block waits for a field, and reads it from the event, under its new name', async () => {
  const object = await make({ name, note: { type: 'string' } })
  const onUpdate = { plugin_id: 'on:svc:update:record', input: { object, fields: ['note'] } }
  const { id } = await create({
    name: 'Waits',
    enabled: true,
    ...chain(
      { plugin_id: 'on:svc:create:record', input: { object } },
      { key: 'wait', plugin_id: 'general:wait:event', input: onUpdate },
      {
        key: 'set',
        plugin_id: 'svc:update:record',
        input: {
          object,
          record_id: own,
          attributes: { name: 'Note: {{wait.state.output.event.object.data.note}}' },
        },
      },
    ),
  })
  await edit(object, (properties) => {
    properties.remark = { type: 'string', xSvcPrevName: 'note' }
    delete properties.note
  })
  const record = await records.create(object, {})
  const [begun] = await until(async () => {
    const found = await runs(id)
    return found.length > 0 && found
  })
  await runIn(begun?.id, 'waiting')
  await records.patch(object, record.id, { remark: 'hello' })
  expect((await runIn(begun?.id)).attributes).toMatchObject({ status: 'success', workflow_version: 2 })
  expect((await records.get(object, record.id)).body.data.attributes.name).toBe('Note: hello')
})

const namings: [string, (object: string) => Json][] = [
  [
    'its trigger asks for',
    (object) => ({ trigger: { plugin_id: 'on:svc:update:record', input: { object, fields: ['size', 'name'] } } }),
  ],
  [
    'a filter compares',
    (object) => ({
      trigger: {
        plugin_id: 'on:svc:create:record',
        input: { object },
        filters: [condition(`${data}.size`, 'Is', 1)],
      },
    }),
  ],
  [
    'a block finds records by',
    (object) =>
      chain(
        { plugin_id: 'on:svc:create:record', input: { object } },
        {
          key: 'find',
          plugin_id: 'svc:find:records',
          input: { object, filter: { field: 'size', op: 'Is', value: 1 } },
        },
      ),
  ],
  [
    'a block writes',
    (object) =>
      chain(
        { plugin_id: 'on:svc:create:record', input: { object } },
        { key: 'set', plugin_id: 'svc:create:record', input: { object, attributes: { size: 1 } } },
      ),
  ],
  [
    'a text names',
    (object) =>
      chain(
        { plugin_id: 'on:svc:create:record', input: { object } },
        {
          key: 'set',
          plugin_id: 'svc:create:record',
          input: { object, attributes: { name: `Of {{trigger.${data}.size}}` } },
        },
      ),
  ],
]

const less = (properties: Json) => {
  properties.stage.enum = ['A']
  properties.tags.enum = ['A']
}

const enabled = (graph: Json) => create({ name: 'Literal', enabled: true, ...graph })

test('disables a workflow that needs a removed option, or whose list is deleted', async () => {
  const object = await make({ name, stage: { enum: ['A', 'B'] }, tags: { xSvcType: 'multi_select', enum: ['A', 'B'] } })
  const onCreate = { plugin_id: 'on:svc:create:record', input: { object } }
  const filtered = (op: string, value: Json) => ({ ...onCreate, filters: [condition(`${data}.stage`, op, value)] })
  const writing = (attributes: Json) =>
    chain(onCreate, { key: 'set', plugin_id: 'svc:update:record', input: { object, record_id: own, attributes } })
  const finding = { field: 'stage', op: 'Is', value: 'B' }
  const graphs: Json[] = [
    writing({ stage: 'B' }),
    writing({ tags: { items: ['A', 'B'] } }),
    { trigger: filtered('Is', 'B') },
    { trigger: filtered('Changed to', 'B') },
    chain(onCreate, { key: 'find', plugin_id: 'svc:find:records', input: { object, filter: { not: finding } } }),
  ]
  const made: string[] = await Promise.all(graphs.map(async (graph) => (await enabled(graph)).id))
  const kept = await Promise.all(
    [
      writing({ stage: 'A' }),
      writing({ stage: `{{trigger.${data}.stage}}` }),
      { trigger: filtered('One of', ['A', 'B']) },
    ].map(enabled),
  )
  const document = (await app.api.get(objectPath(object))).body.data.attributes
  less(document.properties)
  const planned = await app.api.post(`${objectPath(object)}/plan`, { body: document })
  expect(planned.body.data.attributes.breaks.workflows).toEqual(made.toSorted())
  expect(await edit(object, less)).toMatchObject({ state: 'completed' })
  for (const id of made) {
    expect(await attributesOf(id)).toMatchObject({ enabled: false, stopped_reason: 'schema_changed' })
    const refused = await app.api.patch(`${path}/${id}`, { body: { enabled: true } })
    expect([refused.status, refused.body.errors[0].detail]).toEqual([422, expect.stringMatching(/one of|"B"/)])
  }
  for (const { id } of kept) expect(await attributesOf(id)).toMatchObject({ enabled: true, stopped_reason: null })

  const list = await lists.create(object, {})
  const joins = await enabled({ trigger: { plugin_id: 'on:svc:add-to-list', input: { list_id: list.id } } })
  const other = await enabled({ trigger: { plugin_id: 'on:svc:add-to-list', input: { object } } })
  await app.api.delete(`/workspaces/acme/objects/${object}/lists/${list.id}`)
  expect(await attributesOf(joins.id)).toMatchObject({ enabled: false, stopped_reason: 'schema_changed' })
  expect(await attributesOf(other.id)).toMatchObject({ enabled: true })
})

/** `size` goes, and another field takes its name. */
const change = (properties: Json) => {
  properties.size = { type: 'number', xSvcPrevName: 'other' }
  delete properties.other
}

test('a workflow that names a field which goes is disabled, and the plan says so before', async () => {
  const object = await make({ name, size: { type: 'number' }, other: { type: 'number' } })
  const made: string[] = await Promise.all(
    namings.map(async ([title, graph], index) => {
      const as = index === 0 ? 'member' : 'admin'
      return (await create({ name: title, enabled: true, ...graph(object) }, as)).id
    }),
  )
  const [, , , , text] = made
  const bystander = await create({
    name: 'Other',
    enabled: true,
    trigger: { plugin_id: 'on:svc:update:record', input: { object, fields: ['other'] } },
  })
  const draft = await create({ name: 'Draft', ...namings[0]![1](object) })
  const document = (await app.api.get(objectPath(object))).body.data.attributes
  change(document.properties)
  const planned = await app.api.post(`${objectPath(object)}/plan`, { body: document })
  expect(planned.body.data.attributes.breaks).toEqual({ lists: [], workflows: made.toSorted() })
  // People who may not read workflows are not notified of them.
  const { key } = await createKey(app.api.post, 'admin', { scopes: ['schemas:read', 'records:read'] })
  const unaware = await app.api.post(`${objectPath(object)}/plan`, {
    body: document,
    as: { authorization: `api-key ${key}` },
  })
  expect(unaware.body.data.attributes.breaks).toEqual({ lists: [], workflows: [] })
  expect(await edit(object, change)).toMatchObject({ state: 'completed' })
  for (const id of made)
    expect(await attributesOf(id)).toMatchObject({ enabled: false, stopped_reason: 'schema_changed' })
  expect(await attributesOf(bystander.id)).toMatchObject({
    enabled: true,
    stopped_reason: null,
    trigger: { input: { fields: ['size'] } },
  })
  expect(await attributesOf(draft.id)).toMatchObject({ enabled: false, stopped_reason: null })
  const stops = (await app.events()).filter(
    ({ type, record_id }) => type === 'workflow.stopped' && made.includes(record_id),
  )
  expect(stops).toHaveLength(made.length)
  expect(new Map(stops.map(({ record_id, payload }) => [record_id, payload.reason]))).toEqual(
    new Map(made.map((id) => [id, 'schema_changed'])),
  )
  // The member as whom it ran is notified, not the one who changed the schema.
  expect(await notifications.kinds('member')).toEqual(['workflow_failure'])
  // It does not begin to speak of the field that has the name now.
  const refused = await app.api.patch(`${path}/${text}`, { body: { enabled: true } })
  expect(refused.status).toBe(422)
  expect(refused.body.errors[0].detail).toContain(`${data}["size (removed)"]`)
})

test('a workflow of an object that goes is disabled', async () => {
  const object = await make({ name })
  const { id } = await create({
    name: 'Gone',
    enabled: true,
    trigger: { plugin_id: 'on:svc:create:record', input: { object } },
  })
  const { body } = await app.api.delete(objectPath(object))
  await changesOf(app).end(body.data.id)
  expect(await attributesOf(id)).toMatchObject({ enabled: false, stopped_reason: 'schema_changed' })
  expect(await endedRuns(id, 0)).toEqual([])
})
