import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
const records = recordsOf(app)
const lists = listsOf(app)
const { create, endedRuns, runs, settled, until, path } = workflowsOf(app)
await app.startJobs()

/** Publishes a dynamic list and waits until it follows the changes of records. */
async function published(object: string, query: Json): Promise<string> {
  const { id } = await lists.create(object, { query })
  await lists.publish(object, id)
  await until(async () => {
    const { attributes } = (await lists.get(object, id)).body.data
    return attributes.list_evaluation_status === 'idle' && attributes.applied_version_id !== null
  })
  return id
}

const where = (field: string, value: string): Json => ({ filter: { field, op: 'Is', value } })
const joining = (list_id: string): Json => ({ plugin_id: 'on:svc:add-to-list', input: { list_id } })
const leaving = (list_id: string): Json => ({ plugin_id: 'on:svc:remove-from-list', input: { list_id } })

const own = '{{trigger.state.event.object._id}}'

const write = (object: string, attributes: Json, record_id: string = own): Json => ({
  key: 'write',
  plugin_id: 'svc:update:record',
  input: { object, record_id, attributes },
})

/** A trigger for one of the tasks of a list with a limit. */
const ofFirst = (trigger: Json): Json => ({
  ...trigger,
  filters: [{ field: 'state.event.object.data.title', condition: { operator: 'Is', value: 'Top 1' } }],
})

const make = async (name: string, trigger: Json, block: Json, max_depth = 3): Promise<string> =>
  (await create({ name, enabled: true, ...chain(trigger, block), run_limits: { max_depth } })).id

const told = (found: readonly Json[]) =>
  found.map(({ attributes: { status, suppressed_reason: why, depth } }) => [status, why, depth])

/** Waits until two workflows have come to an end, and returns what became of their runs, the deepest last. */
const comeToRest = async (ids: readonly string[]) => {
  const found = await until(async () => {
    const all = (await Promise.all(ids.map((id) => runs(id)))).flat()
    const isOver = all.some(({ attributes }) => attributes.suppressed_reason === 'max_depth')
    return isOver && all.every(({ attributes }) => ['success', 'suppressed'].includes(attributes.status)) && all
  })
  await Promise.all(ids.map((id) => app.api.delete(`${path}/${id}`)))
  return told(found).toSorted(([, , one], [, , other]) => one - other)
}

const threeDeep = [
  ['success', null, 1],
  ['success', null, 2],
  ['success', null, 3],
  ['suppressed', 'max_depth', 4],
]

describe('workflows that let a record join and leave a dynamic list come to an end', () => {
  test('by its own fields', async () => {
    const list = await published('deal', where('stage', 'Won'))
    const both = [
      await make('Lose', joining(list), write('deal', { stage: 'Lost' })),
      await make('Win', leaving(list), write('deal', { stage: 'Won' })),
    ]
    await records.create('deal', { stage: 'Won' })
    expect(await comeToRest(both)).toEqual(threeDeep)
  })

  test('by the record that it is linked to', async () => {
    const list = await published('person', where('company_id.industry', 'Steel'))
    const company = await records.create('company', { industry: 'Steel' })
    const both = [
      await make('Iron', joining(list), write('company', { industry: 'Iron' }, company.id)),
      await make('Steel', leaving(list), write('company', { industry: 'Steel' }, company.id)),
    ]
    await records.create('person', { company_id: company.id })
    expect(await comeToRest(both)).toEqual(threeDeep)
  })

  test('by the place that others leave them in a list with a limit', async () => {
    const [, second] = (await records.createMany('task', [{ title: 'Top 1' }, { title: 'Top 0' }])) as [Json, Json]
    const list = await published('task', {
      sql: "SELECT * FROM task WHERE title LIKE 'Top%' ORDER BY title DESC LIMIT 1",
    })
    await settled()
    const both = [
      await make('Up', ofFirst(joining(list)), write('task', { title: 'Top 2' }, second.id)),
      await make('Down', ofFirst(leaving(list)), write('task', { title: 'Top 0' }, second.id)),
    ]
    await records.patch('task', second.id, { title: 'Top 2' })
    expect(await comeToRest(both)).toEqual(threeDeep)
  })

  test('by the query of the list', async () => {
    const list = await published('company', where('industry', 'Before'))
    const { key } = await createKey(app.api.post, 'admin')
    const ask = (value: string): Json => ({
      key: 'ask',
      plugin_id: 'webhook:send:outbound',
      input: {
        url: `${app.baseUrl}${lists.path('company', list)}`,
        method: 'PATCH',
        headers: { Authorization: `api-key ${key}` },
        body: { query: where('industry', value) },
      },
    })
    const both = [await make('After', joining(list), ask('After')), await make('Before', leaving(list), ask('Before'))]
    await records.create('company', { industry: 'Before' })
    expect(await comeToRest(both)).toEqual(threeDeep)
  })
})

describe('a change by a person starts its run', () => {
  test('though a run moves another record in the same evaluation', async () => {
    const list = await published('deal', where('stage', 'Lead'))
    const [machine, person] = (await records.createMany('deal', [{}, {}])) as [Json, Json]
    const heard = await make('Heard', joining(list), write('deal', { amount: 1 }), 1)
    const trigger = { plugin_id: 'on:svc:create:record', input: { object: 'company' } }
    const move = await make('Move', trigger, write('deal', { stage: 'Lead' }, machine.id))
    await records.create('company', {})
    await until(async () => (await records.get('deal', machine.id)).body.data.attributes.stage === 'Lead')
    await records.patch('deal', person.id, { stage: 'Lead' })
    const found = await endedRuns(heard, 2)
    const becameOf = ({ id }: Json) => told(found.filter(({ attributes }) => attributes.record_id === id))
    expect([becameOf(machine), becameOf(person)]).toEqual([[['suppressed', 'max_depth', 2]], [['success', null, 1]]])
    await Promise.all([heard, move].map((id) => app.api.delete(`${path}/${id}`)))
  })

  test('though a run has changed the record before, and in other fields since', async () => {
    const list = await published('task', where('status', 'Done'))
    const trigger = { plugin_id: 'on:svc:update:record', input: { object: 'task', fields: ['status'] } }
    const note = await make('Note', trigger, write('task', { title: 'Noted' }))
    const heard = await make('Heard', joining(list), write('task', { title: 'Heard' }), 1)
    const task = await records.create('task', { title: 'Mine' })
    await records.patch('task', task.id, { status: 'Done' })
    expect(told(await endedRuns(heard))).toEqual([['success', null, 1]])
    await Promise.all([note, heard].map((id) => app.api.delete(`${path}/${id}`)))
  })
})
