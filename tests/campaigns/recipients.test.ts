import { beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'
import { workflowsOf } from '../harness/workflows.ts'

const app = await startApp()
const records = recordsOf(app)
const workflows = workflowsOf(app)
const { until } = workflows
const path = '/workspaces/acme/campaigns'

const wait = { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } }

const create = async (attributes: Json = {}): Promise<string> => {
  const { status, body } = await app.api.post(path, { body: { name: 'Spring', blocks: { wait }, ...attributes } })
  expect([status, body.errors]).toEqual([201, undefined])
  return body.data.id
}

const person = (first: string, address = `${first.toLowerCase()}@example.com`) => ({
  name: { first_name: first, last_name: 'Example' },
  email_addresses: { items: address === '' ? [] : [address] },
})

const enrol = async (id: string, items: readonly string[], as?: 'member') =>
  (await app.api.post(`${path}/${id}/recipients`, { body: { items }, ...(as && { as }) })).body.data

const recipients = async (id: string, query: Json = {}) =>
  (await app.api.get(`${path}/${id}/recipients`, { query })).body

describe('people of a campaign', () => {
  let id: string
  let ada: Json
  let none: Json

  beforeAll(async () => {
    id = await create()
    await app.api.post(`${path}/${id}/start`, {})
    ;[ada, none] = await records.createMany('person', [person('Ada'), person('None', '')])
  })

  test('are enrolled by a call, each with an answer of their own', async () => {
    expect(await enrol(id, [ada.id, none.id, ada.id, 'nobody'])).toEqual([
      { id: ada.id, status: 'enrolled', workflow_run_id: expect.any(String) },
      { id: none.id, status: 'no_email', workflow_run_id: null, detail: 'The person has no e-mail address.' },
      { id: ada.id, status: 'already_active', workflow_run_id: expect.any(String) },
      { id: 'nobody', status: 'not_found', workflow_run_id: null, detail: 'There is no person with this id.' },
    ])
    await until(async () => (await recipients(id)).data[0]?.attributes.status === 'waiting')
    const page = await recipients(id)
    expect(page.meta).toEqual({
      total_records: 1,
      total_pages: 1,
      offset: 0,
      limit: 500,
      total_unfiltered: 1,
      campaign_enabled: true,
      list_evaluation_status: null,
      list_member_count: null,
    })
    expect(page.data).toEqual([
      {
        type: 'campaign_recipient',
        id: expect.any(String),
        attributes: {
          workflow_run_id: page.data[0].id,
          person: {
            _id: ada.id,
            name: { first_name: 'Ada', last_name: 'Example', full_name: 'Ada Example' },
            email_addresses: { items: ['ada@example.com'] },
            avatar_url: null,
            job_title: null,
            company_id: null,
          },
          status: 'waiting',
          resume_at: expect.any(String),
          current_block_id: 'wait',
          started_at: expect.any(String),
          ended_at: null,
          exit_reason: null,
          exit_block_id: null,
          has_opened: false,
          has_clicked: false,
          has_replied: false,
          has_unsubscribed: false,
          last_sent_at: null,
          last_opened_at: null,
          last_clicked_at: null,
          last_replied_at: null,
          _created_at: expect.any(String),
          _updated_at: expect.any(String),
        },
      },
    ])
  })

  test('are found by a part of their name or address', async () => {
    const found = async (q: string) => (await recipients(id, { 'filter[q]': q })).meta.total_records
    expect(await Promise.all(['ADA', 'a ex', 'da@EXAMPLE', 'x', 'bob'].map(found))).toEqual([1, 1, 1, 1, 0])
    const tooLong = await app.api.get(`${path}/${id}/recipients`, { query: { 'filter[q]': 'x'.repeat(51) } })
    expect(tooLong.status).toBe(400)
  })

  test('are taken out by a call', async () => {
    const remove = async () =>
      (await app.api.delete(`${path}/${id}/recipients`, { body: { items: [ada.id] } })).body.data
    expect(await remove()).toEqual([{ id: ada.id, status: 'removed', workflow_run_id: expect.any(String) }])
    expect(await remove()).toMatchObject([{ status: 'not_active' }])
    expect((await recipients(id, { 'filter[status]': 'failed' })).data).toMatchObject([
      { attributes: { status: 'cancelled', current_block_id: null } },
    ])
    expect(await enrol(id, [ada.id])).toMatchObject([{ status: 'enrolled' }])
    expect((await recipients(id)).meta.total_records).toBe(1)
  })

  test('are not enrolled in a draft', async () => {
    const draft = await create()
    const { status, body } = await app.api.post(`${path}/${draft}/recipients`, { body: { items: [ada.id] } })
    expect([status, body.errors[0].code]).toEqual([409, 'campaign_state'])
  })
})

test('only its owner and admins enrol people by running it by hand', async () => {
  const id = await create()
  await app.api.post(`${path}/${id}/start`, {})
  const [joe] = await records.createMany('person', [person('Joe')])
  const run = (as: 'member' | 'admin') =>
    app.api.post(`/workspaces/acme/workflows/${id}/runs`, { as, body: { object: 'person', record_id: joe.id } })
  expect((await run('member')).status).toBe(403)
  expect((await recipients(id)).meta.total_records).toBe(0)
  expect((await run('admin')).status).toBe(201)
})

test('a run that was cancelled does not go on beside another of the same person', async () => {
  const id = await create()
  await app.api.post(`${path}/${id}/start`, {})
  const [kim] = await records.createMany('person', [person('Kim')])
  const [{ workflow_run_id: first }] = await enrol(id, [kim.id])
  const runs = '/workspaces/acme/workflow-runs'
  const retry = async () => {
    const { status, body } = await app.api.post(`${runs}/${first}/retry`, { body: { from: 'failed' } })
    return [status, body.errors?.[0].code]
  }
  await app.api.post(`${runs}/${first}/cancel`, {})
  expect(await retry()).toEqual([200, undefined])
  await app.api.post(`${runs}/${first}/cancel`, {})
  const [{ workflow_run_id: second }] = await enrol(id, [kim.id])
  expect(await retry()).toEqual([409, 'run_state'])
  expect((await recipients(id)).data.map((row: Json) => row.id)).toEqual([second])
})

test('a change of its name leaves its trigger as a workflow has made it', async () => {
  const trigger = {
    plugin_id: 'on:svc:add-to-list',
    filters: [{ field: 'trigger.state.event.object.data.job_title', condition: { operator: 'Is', value: 'CEO' } }],
  }
  const { id } = await workflows.create({
    name: 'Chiefs',
    type: 'sequence',
    trigger: { ...trigger, next: 'wait' },
    blocks: { wait: { ...wait, prev: 'trigger' } },
  })
  const { status } = await app.api.patch(`${path}/${id}`, { body: { name: 'All chiefs' } })
  expect(status).toBe(200)
  const { body } = await app.api.get(`/workspaces/acme/workflows/${id}`)
  expect(body.data.attributes).toMatchObject({ name: 'All chiefs', trigger })
})

test('the members of its list are enrolled at the start, and people who join later', async () => {
  const list = (
    await app.api.post('/workspaces/acme/objects/person/lists', { body: { title: 'Guests', type: 'static' } })
  ).body.data.id
  const people = await records.createMany('person', [person('Eve'), person('Fay'), person('Gus', ''), person('Hal')])
  const add = (some: readonly Json[]) =>
    app.api.post(`/workspaces/acme/objects/person/lists/${list}/resources`, {
      body: { data: some.map(({ id }) => ({ type: 'person', id })) },
    })
  await add(people.slice(0, 3))
  const id = await create({ list_id: list })
  const { body } = await app.api.post(`${path}/${id}/start`, {})
  const task = body.data.attributes.enrolment_task_id
  await until(async () => {
    const { body: found } = await app.api.get(`/workspaces/acme/async-tasks/${task}`)
    return found.data.attributes.state === 'completed'
  })
  const page = await recipients(id)
  expect(page.meta).toMatchObject({ total_records: 3, list_member_count: 3, list_evaluation_status: 'idle' })
  expect(page.data.map(({ attributes }: Json) => [attributes.person.name.first_name, attributes.exit_reason])).toEqual([
    ['Eve', null],
    ['Fay', null],
    ['Gus', 'no_email'],
  ])
  await add(people.slice(3))
  await until(async () => (await recipients(id)).meta.total_records === 4)
  const addresses = { data: { type: 'person', attributes: { email_addresses: { items: ['gus@example.com'] } } } }
  expect(
    (await app.api.patch(`/workspaces/acme/objects/person/records/${people[2]?.id}`, { body: addresses })).status,
  ).toBe(200)
  await app.api.post(`${path}/${id}/start`, {})
  await until(async () => (await recipients(id)).data[2].attributes.exit_reason === null)
  expect((await recipients(id)).meta.total_records).toBe(4)
})

test('a list that finds its members by itself goes on enrolling those whom it comes to have', async () => {
  const query = { filter: { field: 'job_title', op: 'Is', value: 'Keynote speaker' } }
  const made = await app.api.post('/workspaces/acme/objects/person/lists', {
    body: { title: 'Speakers', type: 'dynamic', query },
  })
  expect([made.status, made.body.errors]).toEqual([201, undefined])
  const [ned, oda] = await records.createMany('person', [
    { ...person('Ned'), job_title: 'Keynote speaker' },
    person('Oda'),
  ])
  const id = await create({ list_id: made.body.data.id })
  await app.api.post(`${path}/${id}/start`, {})
  const names = async (): Promise<string[]> =>
    (await recipients(id)).data.map(({ attributes }: Json) => attributes.person.name.first_name)
  await until(async () => (await names()).includes('Ned'))
  await records.patch('person', oda.id, { job_title: 'Keynote speaker' })
  await until(async () => (await names()).includes('Oda'))
  await records.create('person', { ...person('Pia'), job_title: 'Keynote speaker' })
  await until(async () => (await names()).includes('Pia'))
  // A person who has left the list keeps their place.
  await records.patch('person', ned.id, { job_title: null })
  await app.quiet()
  expect(await names()).toEqual(['Ned', 'Oda', 'Pia'])
})

test('people who join its list again are enrolled once, by events and starts, and again by a call', async () => {
  const lists = '/workspaces/acme/objects/person/lists'
  const { body: made } = await app.api.post(lists, { body: { title: 'Rejoining', type: 'static' } })
  const members = `${lists}/${made.data.id}/resources`
  const id = await create({ list_id: made.data.id, blocks: {} })
  await app.api.post(`${path}/${id}/start`, {})
  const [yan, zoe] = await records.createMany('person', [person('Yan'), person('Zoe', '')])
  const body = { data: [yan, zoe].map(({ id: of }) => ({ type: 'person', id: of })) }
  await app.api.post(members, { body })
  await workflows.endedRuns(id, 2)
  await app.api.delete(members, { body })
  await records.patch('person', zoe.id, { email_addresses: { items: ['zoe@example.com'] } })
  await app.api.post(members, { body })
  await app.api.post(`${path}/${id}/start`, {})
  await workflows.endedRuns(id, 4)
  await app.quiet()
  const begun = (await workflows.runs(id)).filter(({ attributes }) => attributes.suppressed_reason === null)
  expect(begun).toHaveLength(2)
  expect(new Set(begun.map(({ attributes }) => attributes.record_id))).toEqual(new Set([yan.id, zoe.id]))
  expect(await enrol(id, [yan.id])).toMatchObject([{ status: 'enrolled' }])
})

test('no recipient goes on while it is paused, and all do afterwards', async () => {
  const id = await create({ blocks: { wait: { ...wait, input: { amount: 1, unit: 'minutes' } } } })
  const [ida] = await records.createMany('person', [person('Ida')])
  await app.api.post(`${path}/${id}/start`, {})
  await app.api.post(`${path}/${id}/pause`, {})
  const [{ workflow_run_id: run }] = await enrol(id, [ida.id])
  expect((await recipients(id, { 'filter[status]': 'paused' })).meta.total_records).toBe(1)
  expect((await recipients(id, { 'filter[status]': 'scheduled' })).meta.total_records).toBe(0)
  await app.startJobs()
  await app.quiet()
  expect((await recipients(id)).data[0].attributes.status).toBe('pending')
  await app.api.post(`${path}/${id}/resume`, {})
  await until(async () => (await recipients(id)).data[0].attributes.status === 'waiting')
  expect((await recipients(id, { 'filter[status]': 'scheduled' })).data[0].id).toBe(run)
})

test('who is merged into another stays in a campaign whose run is kept no more', async () => {
  const id = await create()
  await app.api.post(`${path}/${id}/start`, {})
  const [leo, mia] = await records.createMany('person', [person('Leo'), person('Mia')])
  const [{ workflow_run_id: run }] = await enrol(id, [leo.id])
  await app.api.delete(`${path}/${id}/recipients`, { body: { items: [leo.id] } })
  const workspaceId = await app.workspaceId('acme')
  const database = openAt(app.databaseUrl)
  await database.write((tx) => tx.deleteByKey('workflow_run', [{ workspace_id: workspaceId, id: run }]))
  await database.close()
  expect((await records.merge('person', mia.id, [leo.id])).status).toBe(204)
  expect((await recipients(id)).meta.total_records).toBe(1)
  expect((await recipients(id)).data).toMatchObject([
    { id: run, attributes: { status: 'cancelled', person: { _id: mia.id } } },
  ])
})

test('who is deleted while being enrolled is in no list of recipients', async () => {
  const lists = '/workspaces/acme/objects/person/lists'
  const { body: made } = await app.api.post(lists, { body: { title: 'Leaving', type: 'static' } })
  const list = made.data.id
  const people = await records.createMany(
    'person',
    Array.from({ length: 300 }, (_, index) => person(`Deleted${index}`)),
  )
  const ids: string[] = people.map(({ id }) => id)
  const data = ids.map((of) => ({ type: 'person', id: of }))
  await app.api.post(`${lists}/${list}/resources`, { body: { data } })
  const id = await create({ list_id: list })
  await app.startJobs()
  const started = app.api.post(`${path}/${id}/start`, {})
  const gone = ids.filter((_, index) => index % 2 === 0)
  const byCall = enrol(id, gone.slice(0, 20)).catch(() => undefined)
  await Promise.all([started, byCall, ...[0, 50, 100].map((at) => records.remove('person', gone.slice(at, at + 50)))])
  const task = (await started).body.data.attributes.enrolment_task_id
  await until(async () => {
    const { body } = await app.api.get(`/workspaces/acme/async-tasks/${task}`)
    return body.data.attributes.state === 'completed'
  })
  const page = await recipients(id)
  expect(page.data.filter(({ attributes }: Json) => gone.includes(attributes.person._id))).toEqual([])
  expect(page.meta.total_records).toBe(150)
})

test('those whom a list enrols begin when all of it is enrolled, and then at once', async () => {
  const lists = '/workspaces/acme/objects/person/lists'
  const { body: made } = await app.api.post(lists, { body: { title: 'Two batches', type: 'static' } })
  const people = await records.createMany(
    'person',
    Array.from({ length: 260 }, (_, index) => person(`Batched${index}`)),
  )
  const data = people.map(({ id }) => ({ type: 'person', id }))
  await app.api.post(`${lists}/${made.data.id}/resources`, { body: { data } })
  // That they have joined the list is looked at before, and enrols none of them by itself.
  await workflows.settled()
  const id = await create({ list_id: made.data.id })
  const { body } = await app.api.post(`${path}/${id}/start`, {})
  const { enrolment_task_id: task } = body.data.attributes
  const begun = await until(async () => {
    const { meta, data: page } = await recipients(id, { 'page[limit]': 500 })
    const waiting = page.filter(({ attributes }: Json) => attributes.status === 'waiting')
    return meta.total_records === people.length && waiting.length === people.length && waiting
  })
  const { body: found } = await app.api.get(`/workspaces/acme/async-tasks/${task}`)
  const { completed_at } = found.data.attributes
  expect(begun.filter(({ attributes }: Json) => attributes.started_at < completed_at)).toEqual([])
})
