import { loadModule, parseSync } from 'libpg-query'
import { beforeAll, expect, test } from 'vitest'
import { starredTables } from '../harness/starred-tables.ts'

beforeAll(() => loadModule())

const starred = (text: string): string[] => {
  const { stmts } = parseSync(text) as { stmts: { stmt: Record<string, unknown> }[] }
  return starredTables(stmts[0]!.stmt)
}

test.each([
  ['select * from record', ['record']],
  ['select r.* from record r join job j on true', ['record']],
  ['select * from (select * from record) as r join job on true', ['record', 'job']],
  ['with found as (select * from record) select * from found', ['record']],
  ['select id from job union all select * from record', ['record']],
  ['insert into job (id) values (1) returning *', ['job']],
  ['with gone as (delete from job returning *) select * from gone', ['job']],
])('finds the tables whose columns %s returns without naming them', (text, tables) => {
  expect(starred(text)).toEqual(tables)
})

test.each([
  'select id, (select count(*) from record) from job',
  'select id from (select * from record) as r',
  'select * from (select id from record) as r',
  'with found as (select id from record) select found.* from found, job',
  'select * from unnest($1::int[]) as n',
  'update job set run_at = 0',
])('accepts %s', (text) => {
  expect(starred(text)).toEqual([])
})
