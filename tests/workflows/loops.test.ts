import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { createKey } from '../harness/people.ts'
import { recordsOf } from '../harness/records.ts'
import { chain, workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const { create, runs, endedRuns, runIn, until, path, runsPath } = workflowsOf(app)

const onChange = (object: string, ...filters: Json[]) => ({
  plugin_id: 'on:svc:upsert:record',
  input: { object },
  filters,
})
const byHand = { plugin_id: 'on:manual:execution' }
const own = '{{trigger.state.event.object._id}}'

/** A step that changes the record of the run, each time to something else. */
const rename = (object: string, name: string) => ({
  key: 'rename',
  plugin_id: 'svc:update:record',
  input: { object, record_id: own, attributes: { name: `${name} {{trigger.state.event.sequence}}` } },
})

const told = (found: readonly Json[]) =>
  found.map(({ attributes: { status, suppressed_reason: why, depth } }) => [status, why, depth])

test('a workflow that changes the record that triggered it is not triggered by that', async () => {
  const { id } = await create({ name: 'Own', enabled: true, ...chain(onChange('deal'), rename('deal', 'Own')) })
  const deal = await records.create('deal', {})
  expect(told(await endedRuns(id, 2))).toEqual([
    ['success', null, 1],
    ['suppressed', 'own_write', 2],
  ])
  expect((await records.get('deal', deal.id)).body.data.attributes.name).toMatch(/^Own \d+$/)
  const { body } = await app.api.get(`${path}/${id}/runs`, { query: { 'filter[status]': 'suppressed' } })
  expect(body.meta.total_records).toBe(1)
  await app.api.delete(`${path}/${id}`)
})

describe('workflows that trigger each other', () => {
  test.for([
    [undefined, 5],
    [2, 2],
  ] as const)('come to an end with a depth of %s', async ([max_depth, deepest]) => {
    const run_limits = max_depth === undefined ? {} : { max_depth }
    const make = (name: string) =>
      create({ name, enabled: true, ...chain(onChange('company'), rename('company', name)), run_limits })
    const both = [(await make('Ping')).id, (await make('Pong')).id]
    await records.create('company', {})
    const all = await until(async () => {
      const found = (await Promise.all(both.map((id) => runs(id)))).flat()
      const isAtRest = found.every(({ attributes }) => ['success', 'suppressed'].includes(attributes.status))
      const ends = found.filter(({ attributes }) => attributes.suppressed_reason === 'max_depth')
      return isAtRest && ends.length === 2 && found
    })
    const reached = all.filter(({ attributes }) => attributes.status === 'success')
    expect(Math.max(...reached.map(({ attributes }) => attributes.depth))).toBe(deepest)
    expect(reached).toHaveLength(2 * deepest)
    const ends = all.filter(({ attributes }) => attributes.suppressed_reason === 'max_depth')
    expect(ends.map(({ attributes }) => attributes.depth)).toEqual([deepest + 1, deepest + 1])
    await Promise.all(both.map((id) => app.api.delete(`${path}/${id}`)))
  })
})

describe('limits for one record', () => {
  test('a number of runs, ever', async () => {
    const { id } = await create({
      name: 'Twice',
      enabled: true,
      trigger: onChange('person'),
      run_limits: { max_runs_per_record: 2 },
    })
    const [ada, bob] = await records.createMany('person', [{}, {}])
    for (const job_title of ['a', 'b', 'c']) await records.patch('person', ada.id, { job_title })
    const found = await endedRuns(id, 5)
    const of = (person: Json) => told(found.filter(({ attributes }) => attributes.record_id === person.id))
    expect(of(ada).map(([status, why]) => [status, why])).toEqual([
      ['success', null],
      ['success', null],
      ['suppressed', 'max_runs_per_record'],
      ['suppressed', 'max_runs_per_record'],
    ])
    expect(of(bob)).toEqual([['success', null, 1]])
    const again = await app.api.post(`${path}/${id}/runs`, { body: { object: 'person', record_id: ada.id } })
    expect(again.body.data.attributes).toMatchObject({ status: 'suppressed' })
    const rehearsal = { object: 'person', record_id: ada.id, dry_run: true }
    expect((await app.api.post(`${path}/${id}/runs`, { body: rehearsal })).body.data.attributes.status).toBe('pending')
    await app.api.delete(`${path}/${id}`)
  })

  test('a time of rest', async () => {
    const { id } = await create({
      name: 'Rested',
      enabled: true,
      trigger: onChange('person'),
      run_limits: { cooldown_period_days: 1.5 },
    })
    const person = await records.create('person', {})
    await endedRuns(id)
    await app.advance(35 * 3_600_000)
    await records.patch('person', person.id, { job_title: 'Too soon' })
    await endedRuns(id, 2)
    await app.advance(2 * 3_600_000)
    await records.patch('person', person.id, { job_title: 'Later' })
    expect(told(await endedRuns(id, 3)).map(([status, why]) => [status, why])).toEqual([
      ['success', null],
      ['suppressed', 'cooldown'],
      ['success', null],
    ])
    await app.api.delete(`${path}/${id}`)
  })
})

test('runs over the rate of a minute wait, and none is lost', async () => {
  const { id } = await create({
    name: 'Slowly',
    enabled: true,
    trigger: onChange('task'),
    run_limits: { max_runs_per_minute: 4 },
  })
  const made = await records.createMany(
    'task',
    Array.from({ length: 10 }, (_, index) => ({ title: `Task ${index}` })),
  )
  const done = async () => (await runs(id)).filter(({ attributes }) => attributes.status === 'success').length
  await until(async () => (await runs(id)).length === 10 && (await done()) >= 4)
  const found = (await runs(id)).toReversed()
  expect(found.map(({ attributes }) => attributes.record_id)).toEqual(made.map(({ id: task }) => task))
  const waiting = found.filter(({ attributes }) => attributes.status === 'pending')
  expect(waiting).toHaveLength(6)
  for (const { attributes } of waiting) expect(attributes.resume_at).toMatch(/Z$/)
  const times = waiting.map(({ attributes }) => Date.parse(attributes.resume_at))
  expect(times).toEqual(times.toSorted((a, b) => a - b))
  for (let minutes = 0; minutes < 2; minutes++) {
    const before = await done()
    await app.advance(60_000)
    await until(async () => (await done()) > before)
  }
  expect(told(await endedRuns(id, 10)).every(([status]) => status === 'success')).toBe(true)
  await app.api.delete(`${path}/${id}`)
})

test('a run that waits for its turn may go on at once, however often it is told so', async () => {
  const { id } = await create({ name: 'Turns', enabled: true, trigger: byHand, run_limits: { max_runs_per_minute: 1 } })
  const begin = () => app.api.post(`${path}/${id}/runs`, { body: {} })
  await begin()
  const { body } = await begin()
  const later = body.data.id
  const answers = await Promise.all([1, 2].map(() => app.api.post(`${runsPath}/${later}/resume`)))
  // The second is answered as it is, or 409 where the run has ended by then.
  expect(answers.map(({ status }) => status)).toContain(200)
  expect(answers.filter(({ status }) => status !== 200 && status !== 409)).toEqual([])
  expect((await runIn(later)).attributes.status).toBe('success')
})

/** A step that calls an operation with a key of the workspace. */
const callApi = (key: string, method: string, apiPath: string, body: Json): Json => ({
  key: 'call',
  plugin_id: 'webhook:send:outbound',
  input: { url: `${app.baseUrl}${apiPath}`, method, headers: { Authorization: `api-key ${key}` }, body },
})

describe('workflows that call the API over HTTP', () => {
  test('are not triggered by what they change themselves, and those that trigger each other come to an end', async () => {
    const { key } = await createKey(app.api.post, 'admin')
    const change = (name: string) =>
      callApi(key, 'PATCH', `/workspaces/acme/objects/deal/records/${own}`, {
        data: { type: 'deal', attributes: { name: `${name} {{trigger.state.event.sequence}}` } },
      })

    const alone = await create({ name: 'Alone', enabled: true, ...chain(onChange('deal'), change('Alone')) })
    await records.create('deal', {})
    expect(told(await endedRuns(alone.id, 2))).toEqual([
      ['success', null, 1],
      ['suppressed', 'own_write', 2],
    ])
    await app.api.delete(`${path}/${alone.id}`)

    const run_limits = { max_depth: 2 }
    const make = (name: string) => create({ name, enabled: true, ...chain(onChange('deal'), change(name)), run_limits })
    const both = [(await make('Ping')).id, (await make('Pong')).id]
    await records.create('deal', {})
    const all = await until(async () => {
      const found = (await Promise.all(both.map((id) => runs(id)))).flat()
      const isAtRest = found.every(({ attributes }) => ['success', 'suppressed'].includes(attributes.status))
      return (
        isAtRest && found.filter(({ attributes }) => attributes.suppressed_reason === 'max_depth').length === 2 && found
      )
    })
    expect(Math.max(...all.map(({ attributes }) => attributes.depth))).toBe(3)
    await Promise.all(both.map((id) => app.api.delete(`${path}/${id}`)))
  })

  test('end where they begin their own runs, and where they begin them again', async () => {
    const { key } = await createKey(app.api.post, 'admin')
    const { id } = await create({ name: 'Again', enabled: true, trigger: byHand, run_limits: { max_depth: 2 } })
    const graph = chain(byHand, callApi(key, 'POST', `${path}/${id}/runs`, {}))
    await app.api.patch(`${path}/${id}`, { body: graph })
    await app.api.post(`${path}/${id}/runs`, { body: {} })
    const found = await until(async () => {
      const all = await endedRuns(id, 4)
      return all.some(({ attributes }) => attributes.status === 'suppressed') && all
    })
    expect(told(found)).toEqual([
      ['success', null, 0],
      ['success', null, 1],
      ['success', null, 2],
      ['suppressed', 'max_depth', 3],
    ])
    await app.api.delete(`${path}/${id}`)
  })
})
