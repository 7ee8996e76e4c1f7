import { commonDialect } from './dialect-common.ts'
import type { Dialect, JsonPath } from './dialect.ts'

const sqlitePath = (path: JsonPath): string => path.reduce<string>((sum, key) => sum + (typeof key === 'number' ? `[${key}]` : `.${JSON.stringify(key)}`), '$')

export const sqliteDialect: Dialect = {
  ...commonDialect,
  name: 'sqlite',
  jsonText: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonNumber: (knex, column, path) => knex.raw('cast(?? ->> ? as real)', [column, sqlitePath(path)]),
  jsonFlag: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonItems: (knex, column, path) => knex.raw('(select value as item from json_each(??, ?))', [column, sqlitePath(path)]),
  jsonId: (knex, column, key) => knex.raw('(?? ->> ?)', [column, sqlitePath([key])]),
  fold: (knex, text) => knex.raw('kontor_fold(?)', [text]),
  jsonRemove: (knex, column, key) => knex.raw('json_remove(??, ?)', [column, sqlitePath([key])]),
  oneOf: (knex, column, values) => knex.raw('?? in (select value from json_each(?))', [column, JSON.stringify(values)]),
  oneOfGiven: (knex, column, values) => knex.raw('?? in (select value from json_each(?))', [column, values]),
  list: (values) => JSON.stringify(values),
  idTable: (knex, ids) => knex.raw('(select value as id from json_each(?))', [JSON.stringify(ids)]),
  tupleAfter: (knex, columns, values, direction) => knex.raw(`(??, ??) ${direction === 'after' ? '>' : '<'} (?, ?)`, [...columns, ...values] as string[]),
  contains: (knex, text, part) => knex.raw('instr(?, ?) > 0', [text, part]),
  endsWith: (knex, text, part) => knex.raw('substr(?, ?) = ?', [text, -[...part].length, part]),
  locked: (query) => query,
}
