import type { Dialect, JsonPath } from './dialect.ts'

/** A path as the literal of a text array. */
const postgresPath = (path: JsonPath): string => `{${path.map((key) => JSON.stringify(key)).join(',')}}`

export const postgresDialect: Dialect = {
  name: 'postgres',
  jsonText: (knex, column, path) => knex.raw('(?? #>> ?::text[])', [column, postgresPath(path)]),
  jsonNumber: (knex, column, path) => knex.raw('(?? #>> ?::text[])::float8', [column, postgresPath(path)]),
  jsonFlag: (knex, column, path) => knex.raw('(?? #>> ?::text[])::boolean::int', [column, postgresPath(path)]),
  jsonItems: (knex, column, path) =>
    knex.raw("(select jsonb_array_elements_text(case jsonb_typeof(?? #> ?::text[]) when 'array' then ?? #> ?::text[] else '[]' end) as item)", [
      column,
      postgresPath(path),
      column,
      postgresPath(path),
    ]),
  fold: (knex, text) => knex.raw('kontor_fold(?)', [text]),
  jsonRemove: (knex, column, key) => knex.raw('(?? - ?::text)', [column, key]),
  forUpdate: (query) => query.forUpdate() as typeof query,
}
