import { commonDialect, tableOr } from './dialect-common.ts'
import type { Dialect, JsonPath } from './dialect.ts'

const sqlitePath = (path: JsonPath): string =>
  path.reduce<string>((sum, key) => sum + (typeof key === 'number' ? `[${key}]` : `.${JSON.stringify(key)}`), '$')

type PlanStep = { readonly id: number; readonly parent: number; readonly detail: string }

function planSteps(rows: readonly PlanStep[]): string[] {
  const depths = new Map<number, number>([[0, -1]])
  return rows.map(({ id, parent, detail }) => {
    const depth = (depths.get(parent) ?? -1) + 1
    depths.set(id, depth)
    return `${'  '.repeat(depth)}${detail}`
  })
}

export const sqliteDialect: Dialect = {
  ...commonDialect,
  name: 'sqlite',
  isRemote: false,
  explains: { words: 'explain query plan', steps: (rows) => planSteps(rows as PlanStep[]) },
  jsonText: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonNumber: (knex, column, path) => knex.raw('cast(?? ->> ? as real)', [column, sqlitePath(path)]),
  jsonFlag: (knex, column, path) => knex.raw('(?? ->> ?)', [column, sqlitePath(path)]),
  jsonItems: (knex, column, path) =>
    knex.raw('(select value as item from json_each(??, ?))', [column, sqlitePath(path)]),
  jsonItemMembers: (knex, column, path, member, isFirst) =>
    knex.raw("(select case type when 'object' then value ->> ? when 'text' then ? end as item from json_each(??, ?))", [
      sqlitePath([member]),
      knex.raw(isFirst ? 'value' : 'null'),
      column,
      sqlitePath(path),
    ]),
  jsonId: (knex, column, key) => knex.raw('(?? ->> ?)', [column, sqlitePath([key])]),
  fold: (knex, text) => knex.raw('kontor_fold(?)', [text]),
  jsonRemove: (knex, column, key) => knex.raw('json_remove(??, ?)', [column, sqlitePath([key])]),
  oneOf: (knex, column, values) => knex.raw('?? in (select value from json_each(?))', [column, JSON.stringify(values)]),
  oneOfGiven: (knex, column, values) => knex.raw('?? in (select value from json_each(?))', [column, values]),
  list: (values) => JSON.stringify(values),
  idTable: (knex, ids) => knex.raw('(select value as id from json_each(?))', [JSON.stringify(ids)]),
  contains: (knex, text, part) => knex.raw('instr(?, ?) > 0', [text, part]),
  recordsOf: (knex, s, workspaceId) =>
    knex.raw('? as s cross join record as r on r.workspace_id = ? and r.id = s.record_id', [
      tableOr(knex, s),
      workspaceId,
    ]),
  recordAt: (knex, { workspaceId, id }, name) =>
    knex.raw('(select x.* from record as x where x.workspace_id = ? and x.id = ?) as ??', [workspaceId, id, name]),
  linksOf: (knex, s, { workspaceId, relationship, end }) =>
    knex.raw(
      '? as s cross join link as l on l.workspace_id = ? and l.relationship = ? and ?? = s.record_id and l.hidden_by is null',
      [s as never, workspaceId, relationship, `l.${end}`],
    ),
  withGrams: (knex, { workspaceId, field }, grams, other) =>
    knex
      .queryBuilder()
      .from(
        knex.raw(
          `(select rowid as id from gram_index where gram_index match ? union all select id from field_gram where id > (select indexed_id from gram_index_head)) as g
           cross join field_gram as s on s.id = g.id`,
          [`(${grams.join(' ')}) OR ${other}`],
        ),
      )
      .where({ 's.workspace_id': workspaceId, 's.field': field }),
  documentsWithGrams: (knex, grams) =>
    knex
      .queryBuilder()
      .from(knex.raw('search_index as g cross join search_document as s on s.id = g.rowid'))
      .whereRaw('search_index match ?', [grams.join(' ')]),
  // Compares from the end, except for an empty part, with which every text ends: counted from the end, zero would be
  // the beginning.
  endsWith: (knex, text, part) =>
    part === '' ? knex.raw('? is not null', [text]) : knex.raw('substr(?, ?) = ?', [text, -[...part].length, part]),
  jsonTexts: (knex, column, path) =>
    knex.raw(
      "case json_type(??, ?) when 'object' then (select group_concat(atom, ', ' order by atom) from json_tree(??, ?) where type = 'text') else ?? ->> ? end",
      [column, sqlitePath(path), column, sqlitePath(path), column, sqlitePath(path)],
    ),
  locked: (query) => query,
}
