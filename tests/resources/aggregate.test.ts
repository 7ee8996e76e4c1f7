import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Answer, Json } from '../harness/http.ts'
import type { Caller } from '../harness/people.ts'
import { recordsOf, resourcesPath } from '../harness/records.ts'
import { changesOf, schemasOf } from '../harness/schemas.ts'

const app = await startApp()
const records = recordsOf(app, 'memberKey')
const acme = await records.create('company', { name: 'Acme' })
const deals = [
  { name: 'One', stage: 'Lead', amount: 0.1, close_date: '2026-01-15', company_id: acme.id },
  { name: 'Two', stage: 'Won', amount: 0.2, close_date: '2026-02-01', company_id: acme.id },
  { name: 'Three', stage: 'Won', amount: -5, close_date: '2026-02-28' },
  { name: 'Four', stage: 'Won', close_date: '2026-03-31' },
  { name: 'Five', amount: 999_999_999_999.9999 },
]
await records.createMany('deal', deals)

const ask = (body: Json, as: Caller = 'memberKey', object = 'deal'): Promise<Answer> =>
  app.api.post(`${resourcesPath(object)}/aggregate`, { as, body })
const rowsOf = ({ status, body }: Answer): Json[] => {
  expect(status, JSON.stringify(body.errors)).toBe(200)
  return body.data
}
/** The groups with their measures, each as a list of values. */
const valuesOf = (answer: Answer): Json[] =>
  rowsOf(answer).map(({ groups, measures }) => [...Object.values(groups), ...Object.values(measures)])

const of = (kind: string, field = 'amount'): Json => ({ function: kind, field })

test('counts all records where nothing is grouped or measured, in a filter and a search too', async () => {
  expect(valuesOf(await ask({}))).toEqual([[5]])
  expect(valuesOf(await ask({ filter: { field: 'company_id.name', op: 'Is', value: 'acme' } }))).toEqual([[2]])
  await ask({ search: 'thr', measures: [of('sum')] })
  expect(valuesOf(await ask({ search: 'thr', measures: [of('sum')] }))).toEqual([[-5]])
  expect(valuesOf(await ask({ filter: { field: 'name', op: 'Is', value: 'None' }, measures: [of('sum')] }))).toEqual([
    [null],
  ])
})

test('measures exactly, and leaves out records without a value', async () => {
  const measures = [
    { function: 'count' },
    ...['sum', 'average', 'min', 'max', 'median', 'count_distinct'].map((kind) => of(kind)),
  ]
  expect(valuesOf(await ask({ group_by: [{ field: 'stage' }], measures }))).toEqual([
    ['Lead', 1, 0.1, 0.1, 0.1, 0.1, 0.1, 1],
    ['Won', 3, -4.8, -2.4, -5, 0.2, -2.4, 2],
    [
      null,
      1,
      999_999_999_999.9999,
      999_999_999_999.9999,
      999_999_999_999.9999,
      999_999_999_999.9999,
      999_999_999_999.9999,
      1,
    ],
  ])
})

const by = (period: string, dir = 'ASC') =>
  ask({ group_by: [{ field: 'close_date', by: period }], sort: [{ column: 'close_date', dir }] })

test('groups by period, with empty groups last in both directions', async () => {
  expect(valuesOf(await by('month'))).toEqual([
    ['2026-01-01', 1],
    ['2026-02-01', 2],
    ['2026-03-01', 1],
    [null, 1],
  ])
  expect(valuesOf(await by('quarter', 'DESC'))).toEqual([
    ['2026-01-01', 4],
    [null, 1],
  ])
  expect(valuesOf(await by('year'))).toEqual([
    ['2026-01-01', 4],
    [null, 1],
  ])
  expect(valuesOf(await by('week'))).toEqual([
    ['2026-01-12', 1],
    ['2026-01-26', 1],
    ['2026-02-23', 1],
    ['2026-03-30', 1],
    [null, 1],
  ])
})

test('names what references lead to, and users', async () => {
  const rows = rowsOf(
    await ask({ group_by: [{ field: 'company_id' }, { field: '_created_by' }], measures: [of('sum')] }),
  )
  expect(rows[0]).toEqual({
    type: 'aggregate',
    groups: { company_id: acme.id, _created_by: app.userIds.member },
    labels: { company_id: 'Acme', _created_by: expect.any(String) },
    measures: { sum_amount: 0.3 },
  })
  expect(rows[1]).toMatchObject({ groups: { company_id: null }, labels: { company_id: null } })
})

test('sorts by measures, and pages follow links', async () => {
  const body = {
    group_by: [{ field: 'stage' }],
    measures: [{ ...of('sum'), as: 'total' }],
    sort: [{ column: 'total', dir: 'DESC' }],
  }
  const first = await ask({ ...body, page: { limit: 2 } })
  expect(valuesOf(first).map(([stage]) => stage)).toEqual([null, 'Lead'])
  expect(first.body.meta).toEqual({ total_records: 3, total_pages: 2, offset: 0, limit: 2 })
  const second = await app.api.post(first.body.links.next, { as: 'memberKey', body })
  expect(valuesOf(second)).toEqual([['Won', -4.8]])
  expect((await ask({ ...body, page: { offset: 50, limit: 10 } })).body.meta.total_records).toBe(3)
})

test('measures only records that the caller may see, and hides references to others', async () => {
  const secret = await schemasOf(app).make({ name: { type: 'string', xSvcPrimary: true } })
  const open = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    secret: { xSvcRelationship: { kind: 'many-to-one', entity: secret, field: 'opens' } },
  })
  await changesOf(app).edit(secret, (_properties: Json, document: Json) => (document.xSvcAccess = { default: 'none' }))
  const hidden = await recordsOf(app, 'adminKey').create(secret, { name: 'Hidden' })
  await recordsOf(app, 'adminKey').create(open, { name: 'a', secret: hidden.id })
  expect(rowsOf(await ask({ group_by: [{ field: 'secret' }] }, 'adminKey', open))[0]).toMatchObject({
    groups: { secret: hidden.id },
    labels: { secret: 'Hidden' },
  })
  expect(rowsOf(await ask({ group_by: [{ field: 'secret' }] }, 'memberKey', open))).toMatchObject([
    { groups: { secret: null }, measures: { count: 1 } },
  ])
  expect(valuesOf(await ask({}, 'memberKey', secret))).toEqual([[0]])
})

test('instants are grouped by days of the time zone of the workspace, across its change of clocks', async () => {
  const part = await schemasOf(app).make({
    name: { type: 'string', xSvcPrimary: true },
    due: { xSvcType: 'timestamp' },
  })
  await app.api.post('/workspaces/acme/settings', {
    as: 'adminKey',
    body: { key: 'time_zone', value: 'Europe/Berlin' },
  })
  const instants = [
    '2026-03-28T22:59:59.999Z',
    '2026-03-28T23:00:00Z',
    '2026-03-29T21:59:59Z',
    '2026-03-29T22:00:00Z',
    '1901-06-01T22:30:00Z',
  ]
  await records.createMany(
    part,
    instants.map((due) => ({ name: due, due })),
  )
  expect(
    valuesOf(await ask({ group_by: [{ field: 'due', by: 'day' }], measures: [of('max', 'due')] }, 'memberKey', part)),
  ).toEqual([
    ['1901-06-01', '1901-06-01T22:30:00.000Z'],
    ['2026-03-28', '2026-03-28T22:59:59.999Z'],
    ['2026-03-29', '2026-03-29T21:59:59.000Z'],
    ['2026-03-30', '2026-03-29T22:00:00.000Z'],
  ])
  const [row] = rowsOf(
    await ask(
      { group_by: [{ field: '_created_at', by: 'year' }], measures: [of('min', '_created_at')] },
      'memberKey',
      part,
    ),
  )
  expect(row.measures.min__created_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
})

test('says which fields and functions fit', async () => {
  const cases: [Json, number, string, string][] = [
    [
      { group_by: [{ field: 'name' }] },
      400,
      '/group_by/0/field',
      '"name" is no field of deal that records can be grouped by.',
    ],
    [
      { group_by: [{ field: 'close_date' }] },
      422,
      '/group_by/0/by',
      '"close_date" requires `by`: one of day, week, month, quarter, year.',
    ],
    [
      { group_by: [{ field: 'stage', by: 'day' }] },
      422,
      '/group_by/0/by',
      '`by` only applies to dates and times, not to "stage".',
    ],
    [{ measures: [of('sum', 'name')] }, 400, '/measures/0/field', '"name" is no field of deal that `sum` can measure.'],
    [{ measures: [{ function: 'sum' }] }, 422, '/measures/0/field', '`sum` requires a field.'],
    [
      { measures: [{ function: 'count', field: 'name' }] },
      422,
      '/measures/0/field',
      '`count` accepts no field; use `count_distinct`.',
    ],
    [
      { measures: [of('sum'), of('sum')] },
      422,
      '/measures',
      'Two columns are named "sum_amount"; give one measure another name with `as`.',
    ],
    [
      { sort: [{ column: 'counts', dir: 'ASC' }] },
      400,
      '/sort/0/column',
      '"counts" is neither a group nor a measure. Did you mean "count"?',
    ],
  ]
  for (const [body, status, pointer, detail] of cases) {
    const answer = await ask(body)
    expect([answer.status, answer.body.errors?.[0].source.pointer], JSON.stringify(body)).toEqual([status, pointer])
    expect(answer.body.errors[0].detail).toContain(detail)
  }
})
