import { beforeAll, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt } from '../harness/database.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const { api } = app
const records = recordsOf(app)
const path = '/workspaces/acme/campaigns'

const hour = 3_600_000

/** Of each person; what is null comes last in either direction. */
const hours = [3, null, 1, 3, null, 2] as const
const statuses = ['waiting', 'suppressed', 'success', 'failed', 'pending', 'suppressed'] as const

let list: string
let people: string[]

beforeAll(async () => {
  const blocks = { wait: { plugin_id: 'general:delay:for', input: { amount: 2, unit: 'days' } } }
  const campaign = (await api.post(path, { body: { name: 'Spring', blocks } })).body.data.id
  list = `${path}/${campaign}/recipients`
  await api.post(`${path}/${campaign}/start`, {})
  const made = await records.createMany(
    'person',
    hours.map((_, index) => ({ email_addresses: { items: [`reader-${index}@example.com`] } })),
  )
  people = made.map(({ id }) => id)
  await api.post(list, { body: { items: people } })
  const database = openAt(app.databaseUrl)
  const workspace_id = await app.workspaceId('acme')
  const at = Date.parse('2026-03-01T00:00:00Z')
  const rows = people.map((person_id, index) => {
    const time = hours[index] === null ? null : at + (hours[index] ?? 0) * hour
    const times = { started_at: time, ended_at: time, resume_at: time }
    const events = { last_opened_at: time, last_clicked_at: time, last_replied_at: time }
    const run_status = statuses[index]!
    return { workspace_id, workflow_id: campaign, person_id, run_status, ...times, ...events }
  })
  await database.write((tx) => tx.updateByKey('campaign_recipient', ['workspace_id', 'workflow_id', 'person_id'], rows))
  await database.close()
})

/** The people of all pages, along their links. */
async function walk(column: string, dir: string, back = false): Promise<Json[]> {
  const found: Json[] = []
  let url: string | null = `${list}?sortOrder[column]=${column}&sortOrder[dir]=${dir}&page[limit]=2`
  if (back) url += '&page[offset]=4'
  while (url !== null) {
    const { status, body }: { status: number; body: Json } = await api.get(url)
    expect(status).toBe(200)
    expect(body.meta.total_records).toBe(people.length)
    if (back) found.unshift(...body.data)
    else found.push(...body.data)
    const next: string | null = back ? body.links.prev : body.links.next
    url = next === null ? null : next.slice(next.indexOf('/workspaces'))
  }
  return found
}

/** Numbers of people in an order, where those who have no value come last and their ids break ties. */
function expected(values: readonly (number | string | null)[], dir: string): number[] {
  const sign = dir === 'ASC' ? 1 : -1
  return values
    .map((value, index) => ({ value, index }))
    .toSorted((a, b) => {
      if ((a.value === null) !== (b.value === null)) return a.value === null ? 1 : -1
      if (a.value !== null && b.value !== null && a.value !== b.value) return a.value < b.value ? -sign : sign
      return people[a.index]! < people[b.index]! ? -sign : sign
    })
    .map(({ index }) => index)
}

const numbersOf = (rows: readonly Json[]): number[] =>
  rows.map(({ attributes }) => people.indexOf(attributes.person._id))

const times = ['started_at', 'ended_at', 'resume_at', 'last_opened_at', 'last_clicked_at', 'last_replied_at']

test.each(times)('recipients are sorted by %s, those without one last', async (column) => {
  for (const dir of ['ASC', 'DESC']) {
    expect([dir, numbersOf(await walk(column, dir))]).toEqual([dir, expected(hours, dir)])
    expect([dir, numbersOf(await walk(column, dir, true))]).toEqual([dir, expected(hours, dir)])
  }
})

test('recipients are sorted by their status as it is shown', async () => {
  const shown = statuses.map((status) => (status === 'suppressed' ? 'skipped' : status))
  for (const dir of ['ASC', 'DESC'])
    expect([dir, numbersOf(await walk('status', dir))]).toEqual([dir, expected(shown, dir)])
})

test('who takes people out page by page along the links takes all of them out', async () => {
  const walked: string[] = []
  for (let url: string | null = `${list}?filter[status]=scheduled&page[limit]=1`; url !== null;) {
    const { status, body }: { status: number; body: Json } = await api.get(url)
    expect([status, body.errors]).toEqual([200, undefined])
    const items: string[] = body.data.map(({ attributes }: Json) => attributes.person._id)
    await api.delete(list, { body: { items } })
    walked.push(...items)
    url = body.links.next === null ? null : body.links.next.slice(body.links.next.indexOf('/workspaces'))
  }
  expect(walked).toEqual(people)
  expect((await api.get(`${list}?filter[status]=scheduled`)).body.data).toEqual([])
})

test('an empty text leaves out no one, and stays in the links', async () => {
  const { status, body } = await api.get(`${list}?filter[q]=&page[limit]=4`)
  expect([status, body.meta.total_records, body.data.length]).toEqual([200, 6, 4])
  const next = await api.get(body.links.next.slice(body.links.next.indexOf('/workspaces')))
  expect([next.status, next.body.data.length]).toEqual([200, 2])
})
