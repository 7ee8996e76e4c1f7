import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, run, runIn, endedRuns, runs, until, path, runsPath } = workflowsOf(app)

const onPerson = { plugin_id: 'on:svc:create:record', input: { object: 'person' } }
const own = '{{trigger.state.event.object._id}}'
const pause = { key: 'pause', plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }
const entitle = (key: string, job_title: string) => ({
  key,
  plugin_id: 'svc:update:record',
  input: { object: 'person', record_id: own, attributes: { job_title } },
})
const onUpdate = (next: string | null = null, ...filters: Json[]) => ({
  plugin_id: 'on:svc:update:record',
  input: { object: 'person' },
  filters,
  next,
})

/** The only run of a workflow, once it waits. */
const waiting = async (id: string): Promise<string> => {
  const [found] = await until(async () => {
    const all = await runs(id)
    return all.length > 0 && all
  })
  await runIn(found?.id, 'waiting')
  return found?.id
}

const blocksOf = ({ attributes }: Json) => attributes.steps.map((step: Json) => [step.block_id, step.status])

describe('an exit', () => {
  test('ends the run of its record, and no other', async () => {
    const { id } = await create({
      name: 'Leaves',
      enabled: true,
      ...chain(onPerson, pause, entitle('late', 'Late')),
      exits: { left: { plugin_id: 'on:svc:delete:record', input: { object: 'person' } } },
    })
    const [ada, bob] = await records.createMany('person', [{}, {}])
    await until(async () => (await runs(id)).filter(({ attributes }) => attributes.status === 'waiting').length === 2)
    await records.remove('person', [ada.id])
    const of = async (person: Json) => (await runs(id)).find(({ attributes }) => attributes.record_id === person.id)
    await until(async () => (await of(ada))?.attributes.status === 'success')
    expect((await of(ada))?.attributes).toMatchObject({
      exit_reason: 'on:svc:delete:record',
      exit_block_id: 'left',
      current_block_id: null,
      ended_at: expect.any(String),
    })
    expect((await of(bob))?.attributes).toMatchObject({ status: 'waiting', exit_reason: null })
    await app.api.delete(`${path}/${id}`)
  })

  test('with a block of its own goes on there, once', async () => {
    const graph = chain(onPerson, pause, entitle('late', 'Late'))
    const { key: _key, ...other } = entitle('other', 'Left early')
    const { id } = await create({
      name: 'Turns',
      enabled: true,
      ...graph,
      blocks: { ...graph.blocks, other: { ...other, next: 'rest' }, rest: { ...pause, key: undefined } },
      exits: { turn: onUpdate('other') },
    })
    const person = await records.create('person', {})
    const runId = await waiting(id)
    await records.patch('person', person.id, { job_title: 'Changed' })
    await until(async () => (await run(runId)).attributes.current_block_id === 'rest')
    await records.patch('person', person.id, { job_title: 'Changed again' })
    await app.api.post(`${runsPath}/${runId}/resume`)
    const done = await runIn(runId)
    expect(done.attributes).toMatchObject({ status: 'success', exit_block_id: 'turn' })
    expect(blocksOf(done)).toEqual([
      ['other', 'success'],
      ['rest', 'success'],
    ])
    await app.api.delete(`${path}/${id}`)
  })

  test('does not come of what the run does itself', async () => {
    const { id } = await create({
      name: 'Own steps',
      enabled: true,
      ...chain(onPerson, entitle('first', 'First'), pause, entitle('second', 'Second')),
      exits: { changed: onUpdate() },
    })
    await records.create('person', {})
    const runId = await waiting(id)
    // The event of the first step is looked at before that of another record.
    await records.create('person', {})
    await until(async () => (await runs(id)).filter(({ attributes }) => attributes.status === 'waiting').length === 2)
    expect((await run(runId)).attributes).toMatchObject({ status: 'waiting', exit_reason: null })
    await app.api.delete(`${path}/${id}`)
  })

  test('holds for a run that was retried', async () => {
    const { id } = await create({
      name: 'Retried',
      enabled: true,
      ...chain(onPerson, pause, entitle('late', 'Late')),
      exits: { changed: onUpdate() },
    })
    const person = await records.create('person', {})
    const runId = await waiting(id)
    await app.api.post(`${runsPath}/${runId}/cancel`)
    await app.api.post(`${runsPath}/${runId}/retry`, { body: { from: 'failed' } })
    await runIn(runId, 'waiting')
    await records.patch('person', person.id, { job_title: 'Changed' })
    expect((await runIn(runId)).attributes).toMatchObject({ status: 'success', exit_block_id: 'changed' })
    await app.api.delete(`${path}/${id}`)
  })
})

const wait = (more: Json = {}) => ({
  key: 'wait',
  plugin_id: 'general:wait:event',
  input: { plugin_id: 'on:svc:update:record', input: { object: 'person' }, ...more },
})

describe('a run that waits for an event', () => {
  test('goes on when it happens to its record, and not when it happens to another', async () => {
    const { id } = await create({
      name: 'Waits',
      enabled: true,
      ...chain(onPerson, entitle('first', 'First'), wait(), entitle('then', 'Then')),
    })
    const person = await records.create('person', {})
    const runId = await waiting(id)
    const other = await records.create('company', {})
    await records.patch('company', other.id, { name: 'Another' })
    const [another] = (await records.list('person', { 'page[limit]': 5 })).body.data.filter(
      (one: Json) => one.id !== person.id,
    )
    if (another) await records.patch('person', another.id, { job_title: 'Another' })
    expect((await run(runId)).attributes.status).toBe('waiting')
    await records.patch('person', person.id, { job_title: 'Changed' })
    const done = await runIn(runId)
    expect(blocksOf(done)).toEqual([
      ['first', 'success'],
      ['wait', 'success'],
      ['then', 'success'],
    ])
    expect(done.attributes.steps[1].output).toMatchObject({ happened: true, event: { object: { _id: person.id } } })
    await app.api.delete(`${path}/${id}`)
  })

  test('goes on without it when its time is over', async () => {
    const { id } = await create({
      name: 'Gives up',
      enabled: true,
      ...chain(onPerson, wait({ timeout: { amount: 1, unit: 'hours' } })),
    })
    await records.create('person', {})
    await waiting(id)
    await app.advance(3_601_000)
    const [done] = await endedRuns(id)
    expect((await run(done?.id)).attributes.steps[0].output).toMatchObject({ happened: false, event: null })
    await app.api.delete(`${path}/${id}`)
  })
})
