import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const onPerson = { plugin_id: 'on:svc:create:record', input: { object: 'person' } }
const entitle = (key: string) => ({
  key,
  plugin_id: 'svc:update:record',
  input: { object: 'person', record_id: '{{trigger.state.event.object._id}}', attributes: { job_title: key } },
})
const hourMs = 3_600_000

test('an exit is taken by an event that is read together with the one that begins the run', async () => {
  const app = await startApp()
  const { create, endedRuns, run } = workflowsOf(app)
  const changed = {
    plugin_id: 'on:svc:update:record',
    input: { object: 'person' },
    filters: [{ field: 'state.event.object.data.job_title', condition: { operator: 'Changed to', value: 'Changed' } }],
  }
  const { blocks, trigger } = chain(onPerson, entitle('First'))
  const { key: _key, ...left } = entitle('Left')
  const make = (next: string | null) =>
    create({
      name: 'Leaves',
      enabled: true,
      trigger,
      blocks: { ...blocks, ...(next !== null && { [next]: { ...left, next: null } }) },
      exits: { changed: { ...changed, next } },
    })
  const ends = await make(null)
  const turns = await make('left')
  const records = recordsOf(app)
  // Nothing follows the log yet.
  const [ada, bob] = await records.createMany('person', [{}, {}])
  await records.patch('person', bob.id, { job_title: 'Changed' })
  for (const [{ id }, stepsOfBob] of [
    [ends, []],
    [turns, ['left']],
  ] as const) {
    const found = await Promise.all((await endedRuns(id, 2)).map((one) => run(one.id)))
    const of = (person: Json) => found.find(({ attributes }) => attributes.record_id === person.id)?.attributes
    expect(of(bob)).toMatchObject({ status: 'success', exit_block_id: 'changed' })
    expect(of(bob).steps.map(({ block_id }: Json) => block_id)).toEqual(stepsOfBob)
    expect(of(ada)).toMatchObject({ status: 'success', exit_block_id: null })
  }
})

test('from the moment on that a workflow is disabled, no run of it begins', async () => {
  const app = await startApp()
  const { create, path, until } = workflowsOf(app)
  const { id } = await create({ name: 'Off', enabled: true, trigger: onPerson })
  const { id: witness } = await create({ name: 'Witness', enabled: true, trigger: onPerson })
  const begunOf = async (workflow: string): Promise<number> =>
    (await app.api.get(`${path}/${workflow}/runs`)).body.meta.total_records
  const enable = (enabled: boolean) => app.api.patch(`${path}/${id}`, { body: { enabled } })
  const records = recordsOf(app)
  let made = 0
  const make = async () => {
    await records.createMany('person', [{}, {}, {}])
    made += 3
  }
  const ways = [
    () => make().then(() => enable(false)),
    () => Promise.all([make(), enable(false)]),
    async () => {
      await make()
      await until(async () => (await begunOf(witness)) > made - 3)
      await enable(false)
    },
  ]
  for (const way of [...ways, ...ways]) {
    await enable(true)
    await way()
    const before = await begunOf(id)
    // Runs of both begin in one transaction, where both are enabled.
    await until(async () => (await begunOf(witness)) === made)
    expect(await begunOf(id)).toBe(before)
  }
  expect(await begunOf(id)).toBeGreaterThan(0)
})

const hourly = (now: number, inMinutes = 30) => ({
  plugin_id: 'on:general:time:heartbeat',
  input: { cron: `${new Date(now + inMinutes * 60_000).getUTCMinutes()} * * * *` },
})

describe('a schedule whose time has come while no server looked', () => {
  test('begins its run, although the workflow was renamed since', async () => {
    const app = await startApp()
    const { create, endedRuns, path } = workflowsOf(app)
    const { id } = await create({ name: 'Hourly', enabled: true, trigger: hourly(app.now()) })
    await app.advance(hourMs)
    await app.api.patch(`${path}/${id}`, { body: { name: 'Each hour' } })
    expect(await endedRuns(id)).toHaveLength(1)
  })

  test('begins one run for all of its times that passed, and tells how many there were before the last', async () => {
    const app = await startApp()
    const { create, endedRuns, run } = workflowsOf(app)
    const { id } = await create({ name: 'Hourly', enabled: true, trigger: hourly(app.now()) })
    const first = app.now()
    await app.advance(5 * hourMs)
    const [begun] = await endedRuns(id)
    const { scheduled_at, missed } = (await run(begun?.id)).attributes.trigger.state.event.data
    expect(missed).toBe(4)
    expect(Date.parse(scheduled_at) - first).toBeGreaterThan(4 * hourMs)
    expect(await endedRuns(id)).toHaveLength(1)
  })

  test.each([
    ['the workflow was disabled', () => [{ enabled: false }, { enabled: true }]],
    ['it was replaced by another', (now: number) => [{ trigger: { ...hourly(now, 45), next: null } }]],
  ])('begins none where in the meantime %s', async (_what, changes) => {
    const app = await startApp()
    const { create, runs, until, path } = workflowsOf(app)
    const { id } = await create({ name: 'Hourly', enabled: true, trigger: hourly(app.now()) })
    const { id: other } = await create({ name: 'Other', enabled: true, trigger: hourly(app.now()) })
    await app.advance(hourMs)
    for (const body of changes(app.now())) expect((await app.api.patch(`${path}/${id}`, { body })).status).toBe(200)
    await until(async () => (await runs(other)).length === 1)
    expect(await runs(id)).toEqual([])
  })
})
