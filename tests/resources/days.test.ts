import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { schemasOf } from '../harness/schemas.ts'
import { listsOf } from '../lists/lists.ts'

const app = await startApp()
// Access tokens would expire while time is moved.
const records = recordsOf(app, 'memberKey')
const lists = listsOf(app, 'memberKey')
const part = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true }, due: { xSvcType: 'timestamp' } })
const whole = await schemasOf(app).make({
  name: { type: 'string', xSvcPrimary: true },
  parts: { xSvcRelationship: { kind: 'one-to-many', entity: part, field: 'whole' } },
})

app.stopClock(Date.parse('2026-11-20T00:00:00Z'))

/** The first of December 2026 in Berlin, and what is just beside it and within it. */
const instants = {
  before: '2026-11-30T22:59:59.999Z',
  first: '2026-11-30T23:00:00.000Z',
  noon: '2026-12-01T11:00:00.000Z',
  last: '2026-12-01T22:59:59.999Z',
  after: '2026-12-01T23:00:00.000Z',
} as const
type Name = keyof typeof instants

await app.api.post('/workspaces/acme/settings', { as: 'adminKey', body: { key: 'time_zone', value: 'Europe/Berlin' } })
const own = await records.createMany(whole, [{ name: 'of before and after' }, { name: 'of noon' }])
for (const [name, due] of Object.entries(instants)) {
  app.stopClock(Date.parse(due))
  const of = name === 'noon' ? own[1] : name === 'before' || name === 'after' ? own[0] : undefined
  await records.create(part, { name, due, ...(of && { whole: of.id }) })
}
await records.create(part, { name: 'never' })
app.stopClock(Date.parse('2026-12-20T00:00:00Z'))

const day: Name[] = ['first', 'noon', 'last']
const expected: readonly (readonly [op: string, alias: string, sql: string, names: readonly string[]])[] = [
  ['Is', 'eq', '=', day],
  ['Is before', 'lt', '<', ['before']],
  ['Is on or before', 'lte', '<=', ['before', ...day]],
  ['Is after', 'gt', '>', ['after']],
  ['Is on or after', 'gte', '>=', [...day, 'after']],
]
const namesOf = ({ status, body }: Json): string[] => {
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data.map(({ attributes }: Json) => attributes.name)
}
const due = { due: [], _created_at: ['never'] }

test.for(Object.entries(due))(
  '%s: a bare date is that day in the time zone of the workspace',
  async ([field, more]) => {
    const without = (names: readonly string[]) =>
      [...Object.keys(instants), 'never'].filter((name) => !names.includes(name))
    for (const [op, alias, sign, names] of expected) {
      // The record that was made last of all came after the day.
      const found = field === '_created_at' && names.includes('after') ? [...names, ...more] : names
      expect(namesOf(await records.list(part, { [`filter[${field}][${op}]`]: '2026-12-01' })), op).toEqual(found)
      expect(namesOf(await records.list(part, { [`filter[${part}.${field}][${alias}]`]: '2026-12-01' })), op).toEqual(
        found,
      )
      const { id } = await lists.create(part, {
        query: { sql: `SELECT * FROM ${part} WHERE "${field}" ${sign} '2026-12-01' ORDER BY name` },
      })
      expect(namesOf(await lists.records(part, id)), sign).toEqual(found.toSorted())
    }
    expect(namesOf(await records.list(part, { [`filter[${field}]`]: '2026-12-01' }))).toEqual(day)
    expect(namesOf(await records.list(part, { [`filter[${field}]`]: '<=2026-12-01' }))).toEqual(['before', ...day])
    expect(namesOf(await records.list(part, { [`filter[${field}][Is not]`]: '2026-12-01' }))).toEqual(without(day))
    expect(namesOf(await records.list(part, { [`filter[${field}]`]: instants.noon }))).toEqual(['noon'])
    const query = { or: [{ field, op: 'Is', value: ['2026-12-01', instants.before] }] }
    expect(
      namesOf(await app.api.post(`${resourcesPath(part)}/query`, { as: 'memberKey', body: { filter: query } })),
    ).toEqual(['before', ...day])
  },
)

test('in the SQL of lists ranges, lists and denials go by days too', async () => {
  const find = async (where: string): Promise<string[]> => {
    const { id } = await lists.create(part, { query: { sql: `SELECT * FROM ${part} WHERE ${where} ORDER BY due` } })
    return namesOf(await lists.records(part, id))
  }
  expect(await find(`due BETWEEN '2026-12-01' AND '2026-12-01'`)).toEqual(day)
  expect(await find(`due NOT BETWEEN '2026-12-01' AND '2026-12-01'`)).toEqual(['before', 'after'])
  expect(await find(`due <> '2026-12-01'`)).toEqual(['before', 'after'])
  expect(await find(`NOT due > '2026-12-01'`)).toEqual(['before', ...day])
  expect(await find(`due IN ('2026-12-01', '${instants.after}')`)).toEqual([...day, 'after'])
  const none = await lists.post(part, {
    title: 'None',
    type: 'dynamic',
    query: { sql: `SELECT * FROM ${part} WHERE due = '2026-02-30'` },
  })
  expect([none.status, none.body.errors[0].code]).toEqual([422, 'unsupported_sql'])
})

test('one record has to be within the day, where many are linked', async () => {
  expect(namesOf(await records.list(whole, { 'filter[parts.due]': '2026-12-01' }))).toEqual(['of noon'])
  const ofWhole = (before: string) => records.list(part, { 'filter[whole._created_at][Is before]': before })
  expect(namesOf(await ofWhole('2026-11-21'))).toEqual(['before', 'noon', 'after'])
  expect(namesOf(await ofWhole('2026-11-20'))).toEqual([])
})

test('a time without a zone is read in the time zone of the workspace', async () => {
  const [noon, midnight] = ['2026-12-01T12:00', '2026-12-01T00:00:00']
  const found = async (query: Record<string, string>) => namesOf(await records.list(part, query))
  expect(await found({ 'filter[due]': noon })).toEqual(['noon'])
  expect(await found({ 'filter[due]': `>=${noon}` })).toEqual(['noon', 'last', 'after'])
  expect(await found({ 'filter[_created_at][Is before]': midnight })).toEqual(['before'])
  expect(await found({ [`filter[whole.parts.due]`]: noon })).toEqual(['noon'])
  const filter = { or: [{ field: 'due', op: 'Is', value: [noon, instants.first] }] }
  const queried = await app.api.post(`${resourcesPath(part)}/query`, { as: 'memberKey', body: { filter } })
  expect(namesOf(queried)).toEqual(['first', 'noon'])
  const { id } = await lists.create(part, { query: { sql: `SELECT * FROM ${part} WHERE due < '${midnight}'` } })
  expect(namesOf(await lists.records(part, id))).toEqual(['before'])
  const wrong = await records.list(part, { 'filter[due]': '2026-12-01T25:00' })
  expect([wrong.status, wrong.body.errors[0].code]).toEqual([400, 'invalid_parameter'])
})

test('a feed begins at a time in the time zone of the workspace', async () => {
  app.stopClock(Date.parse('2026-12-19T00:00:00Z'))
  const { id } = await records.create(whole, { name: 'fed' })
  const since = async (time: string) =>
    (
      await app.api.get(`/workspaces/acme/objects/${whole}/records/${id}/activities`, {
        as: 'memberKey',
        query: { 'filter[since]': time },
      })
    ).body.data.length
  expect([await since('2026-12-19T01:00'), await since('2026-12-19T01:00:01')]).toEqual([1, 0])
  app.stopClock(Date.parse('2026-12-20T00:00:00Z'))
})

test('the day moves with the time zone of the workspace', async () => {
  await app.api.post('/workspaces/acme/settings', {
    as: 'adminKey',
    body: { key: 'time_zone', value: 'Pacific/Auckland' },
  })
  // There it is thirteen hours later than in UTC.
  expect(namesOf(await records.list(part, { 'filter[due]': '2026-12-01' }))).toEqual(['before', 'first'])
  await app.api.post('/workspaces/acme/settings', {
    as: 'adminKey',
    body: { key: 'time_zone', value: 'Europe/Berlin' },
  })
})

test('deleted records and meetings go by days too', async () => {
  const [early, late] = await records.createMany(part, [{ name: 'early' }, { name: 'late' }])
  app.stopClock(Date.parse('2026-12-20T22:59:59.999Z'))
  await records.remove(part, [early.id])
  app.stopClock(Date.parse('2026-12-20T23:00:00.000Z'))
  await records.remove(part, [late.id])
  const deleted = (query: Record<string, string>) =>
    app.api.get(`/workspaces/acme/objects/${part}/deleted-resources`, { as: 'memberKey', query }).then(namesOf)
  expect(await deleted({ 'filter[_deleted_at]': '2026-12-20' })).toEqual(['early'])
  expect(await deleted({ 'filter[_deleted_at][Is after]': '2026-12-20' })).toEqual(['late'])
  expect(await deleted({ 'filter[_deleted_at][Is on or before]': '2026-12-21' })).toEqual(['late', 'early'])
  const starts = { start: '2026-12-01T22:30:00Z', end: '2026-12-01T23:30:00Z' }
  const { id } = await records.create('meeting', { title: 'Late in the day', ...starts })
  const found = await records.list('meeting', { 'filter[start]': '2026-12-01', 'filter[end][Is after]': '2026-12-01' })
  expect(found.body.data.map((one: Json) => one.id)).toEqual([id])
})

test('a span has any number of units', async () => {
  const object = await app.api.get(resourcesPath(part), { as: 'memberKey', query: { 'filter[due][Within]': '-9000y' } })
  expect(namesOf(object)).toEqual(Object.keys(instants))
  await records.create(part, { name: 'later', due: '9999-12-31T23:59:59.999Z' })
  for (const span of ['+9000y', '+99999999999h'])
    expect(namesOf(await records.list(part, { 'filter[due][Within]': span })), span).toEqual(['later'])
  expect(
    namesOf(await records.list(part, { 'filter[_created_at][Within]': '-9000y', 'filter[name]': 'later' })),
  ).toEqual(['later'])
})
