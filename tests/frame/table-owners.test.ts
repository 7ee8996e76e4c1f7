import { describe, expect, test } from 'vitest'
import { guests, tablesOfOwners } from './table-owners.ts'
import { namedIn, tablesByModule, tablesOfSchema } from './tables-in-sources.ts'

const found = tablesByModule()
const ownerOf = new Map(Object.entries(tablesOfOwners).flatMap(([owner, tables]) => tables.map((one) => [one, owner])))
const allowed = new Set(guests.flatMap(({ module, tables }) => tables.map((table) => `${table} ${module}`)))

test('every table has one owner', () => {
  const owned = Object.values(tablesOfOwners).flat()
  expect(owned.toSorted()).toEqual([...tablesOfSchema()].toSorted())
})

test('no module names a table of another, but for the listed ones', () => {
  const named = [...found].flatMap(([table, modules]) =>
    [...modules].map(([module, paths]) => ({ table, module, paths, owner: ownerOf.get(table) })),
  )
  expect(named.filter(({ table, module, owner }) => module !== owner && !allowed.has(`${table} ${module}`))).toEqual([])
})

test('no exception is listed that none needs, and none twice', () => {
  const listed = guests.flatMap(({ module, tables }) => tables.map((table) => `${table} ${module}`))
  expect(listed.filter((one) => !found.get(one.split(' ')[0] ?? '')?.has(one.split(' ')[1] ?? ''))).toEqual([])
  expect(new Set(listed).size).toBe(listed.length)
})

describe('a source names a table', () => {
  test.each([
    [`knex('email as e').join('record as r')`, ['email', 'record']],
    [`tx.insert('event', [row])`, ['event']],
    [`tx.query<{ id: string }>(({ knex }) => knex('list'))`, ['list']],
    [`deleteSome(tx, id, { table: 'comment', key })`, ['comment']],
    ['sql`select 1 from file as f join link on true`', ['file', 'link']],
    [`for (const table of ['field_text'])`, ['field_text']],
  ])('%s', (source, tables) => expect(namedIn(source)).toEqual(expect.arrayContaining(tables)))

  test('but not where the word is something else', () => {
    expect(namedIn(`resource('comment', id); emit([{ object: 'workflow' }])`)).toEqual([])
  })
})
