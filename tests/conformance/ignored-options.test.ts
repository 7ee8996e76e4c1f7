import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import type { Json } from '../harness/http.ts'
import { importsOf, mappingOf } from '../harness/imports.ts'
import { recordsOf } from '../harness/records.ts'

const app = await startApp()
const workspace = '/workspaces/acme'
const [upload_id, { id: company_id }] = await Promise.all([
  importsOf(app, 'admin').upload('Name\nAda\n'),
  recordsOf(app).create('company', {}),
])
const list = await app.api.post(`${workspace}/objects/company/lists`, {
  as: 'admin',
  body: { title: 'Some' },
})

const records = { kind: 'records', object: 'company' }
const ofList = { kind: 'list', object: 'company', list: list.body.data?.id }
const select = { kind: 'sql', sql: 'SELECT name FROM company' }
const rows = { object: 'person', upload_id, mapping: mappingOf({ Name: 'name' }) }
const links = { ...rows, relationship: 'deals', mapping: mappingOf({ Name: 'person._id' }) }
const sort = { column: 'name', dir: 'ASC' }

/** Bodies with an option that has no effect beside the others, and the place of that option. */
const cases: readonly (readonly [path: string, body: Json, pointer: string])[] = [
  ['exports', { kind: 'workspace', format: 'csv' }, '/format'],
  ['exports', { kind: 'workspace', object: 'company' }, '/object'],
  ['exports', { kind: 'workspace', sort }, '/sort'],
  ['exports', { ...select, sort }, '/sort'],
  ['exports', { ...select, include: ['people'] }, '/include'],
  ['exports', { ...select, search: 'Ada' }, '/search'],
  ['exports', { ...records, list: company_id }, '/list'],
  ['exports', { ...records, sql: select.sql }, '/sql'],
  ['exports', { ...records, format: 'ndjson', include: ['people'] }, '/include'],
  ['exports', { ...records, fields: { deal: ['name'] } }, '/fields/deal'],
  ['exports', { ...ofList, sql: select.sql }, '/sql'],
  ['exports', { ...ofList, format: 'ndjson', include: ['people'] }, '/include'],
  ['imports', { ...rows, format: 'ndjson', create_missing: true }, '/create_missing'],
  ['imports', { ...rows, format: 'ndjson', clear_empty: true }, '/clear_empty'],
  ['imports', { ...rows, format: 'ndjson', dates: 'dmy' }, '/dates'],
  ['imports', { ...rows, format: 'vcard', decimal: ',' }, '/decimal'],
  ['imports', { ...rows, format: 'vcard', separator: '|' }, '/separator'],
  ['imports', { ...rows, format: 'xlsx', delimiter: ';' }, '/delimiter'],
  ['imports', { ...rows, format: 'xlsx', encoding: 'utf-8' }, '/encoding'],
  ['imports', { ...rows, sheet: 'People' }, '/sheet'],
  ['imports', { ...links, format: 'ndjson' }, '/relationship'],
  ['imports', { ...links, match_on: 'email_addresses' }, '/match_on'],
  ['imports', { ...links, clear_empty: true }, '/clear_empty'],
  ['imports/preview', { ...rows, sheet: 'People' }, '/sheet'],
  ['imports/preview', { ...links, match_on: 'email_addresses' }, '/match_on'],
  ['objects/deal/resources/aggregate', { measures: [{ function: 'count', field: 'amount' }] }, '/measures/0/field'],
  ['objects/deal/resources/aggregate', { group_by: [{ field: 'stage', by: 'month' }] }, '/group_by/0/by'],
  ['objects/deal/resources/aggregate', { sort: [{ column: 'amount', dir: 'ASC' }] }, '/sort/0/column'],
  ['sql', { sql: select.sql, format: 'csv' }, '/format'],
  ['sql', { sql: select.sql, sort }, '/sort'],
  ['sql/csv', { sql: select.sql, explain: true }, '/explain'],
]

test.each(cases)('POST %s refuses %j: an option that has no effect', async (path, body, pointer) => {
  const { status, body: answer } = await app.api.post(`${workspace}/${path}`, { as: 'admin', body })
  const [{ source, code } = { source: undefined, code: undefined }] = answer.errors ?? []
  expect([status, source?.pointer]).toEqual([code === 'unknown_field' ? 400 : 422, pointer])
})
