import type { Dialect, JsonPath } from './dialect.ts'

const sqlitePath = (path: JsonPath): string => path.reduce((sum, key) => `${sum}.${JSON.stringify(key)}`, '$')

export const sqliteDialect: Dialect = {
  name: 'sqlite',
  jsonText: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonNumber: (knex, column, path) => knex.raw('cast(?? ->> ? as real)', [column, sqlitePath(path)]),
  jsonFlag: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonItems: (knex, column, path) => knex.raw('(select value as item from json_each(??, ?))', [column, sqlitePath(path)]),
  fold: (knex, text) => knex.raw('kontor_fold(?)', [text]),
  jsonRemove: (knex, column, key) => knex.raw('json_remove(??, ?)', [column, sqlitePath([key])]),
  forUpdate: (query) => query,
}
