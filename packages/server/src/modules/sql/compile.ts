import type { Knex } from 'knex'
import { aliased, isNull } from '../../db/expressions.ts'
import type { Sql } from '../../db/sql.ts'
import { isRecord, memberOf } from '../../lib/guards.ts'
import type { Column } from '../objects/index.ts'
import { Budget, kindOf, namesIn, only, refused, type Node } from '../sql-grammar/index.ts'
import { columnValue, locate } from './columns.ts'
import { conditionAt, valueAt } from './expression.ts'
import { Groups, hasAggregate } from './groups.ts'
import { orderOf, type RowOrder } from './order.ts'
import { rowsOf } from './store.ts'
import { tablesOf, type Directory, type SqlTables } from './tables.ts'
import { selectedOf, type Selected } from './select-list.ts'
import type { SqlKind, SqlScope } from './value.ts'

/** Where and as whom SQL is compiled. */
export type Reader = Directory & {
  readonly sql: Sql
  readonly workspaceId: string
  readonly timeZone: string
  readonly now: number
  /** A column as the caller sees it: references to hidden records are empty. */
  readonly asSeen: (column: Column) => Column
  /** Most rows of the answer. */
  readonly rowsMax: number
}

export type CompiledQuery = {
  readonly columns: readonly { readonly name: string; readonly kind: SqlKind }[]
  /** Its rows have the columns as `c0`, `c1`; one more than `rowsMax` if there are more. */
  readonly query: Knex.QueryBuilder
}

const clauses = [
  'distinctClause',
  'targetList',
  'fromClause',
  'whereClause',
  'groupClause',
  'havingClause',
  'sortClause',
  'limitCount',
  'limitOffset',
  'limitOption',
]

/** Compiles a SELECT over the objects of a workspace; throws `SqlRefusal` for what is not supported. */
export function compileQuery(select: Node, reader: Reader): CompiledQuery {
  if (select['op'] !== 'SETOP_NONE') throw refused('SELECT takes no UNION, INTERSECT or EXCEPT', select['larg'], select)
  only({ ...select, op: undefined, groupDistinct: undefined }, clauses, 'SELECT')
  const { sql } = reader
  const tables = tablesOf(select['fromClause'], reader, select)
  const rows = scopeOfRows(reader, tables)
  const selected = selectedOf(select['targetList'], tables)
  const grouping = groupingOf(select, selected)
  const canonical = canonicalIn(tables)
  const groups = grouping && new Groups(rows, canonical, grouping)
  const scope = groups?.scope ?? rows
  const values = selected.map(({ part }) => valueAt(part, scope))
  const isDistinct = select['distinctClause'] !== undefined
  requirePlainDistinct(select['distinctClause'], select)
  const order = orderOf(select['sortClause'], { selected, values, scope, isDistinct, canonical })
  const where = select['whereClause'] === undefined ? undefined : conditionAt(select['whereClause'], rows)
  const having = select['havingClause'] === undefined ? undefined : conditionAt(select['havingClause'], scope)
  const matching = rowsOf(sql, reader.workspaceId, tables)
  if (where !== undefined) matching.where(where)
  const source: Knex.QueryBuilder =
    groups === undefined ? matching : sql.knex.queryBuilder().from(groups.from(matching).as('g'))
  if (having !== undefined) source.where(having)
  const shown = [
    ...values.map(({ value }, at) => aliased(sql, value, `c${at}`)),
    ...order.flatMap(({ value }, at) => (value === undefined ? [] : [aliased(sql, value, `o${at}`)])),
  ]
  if (isDistinct) source.distinct(shown)
  else source.select(shown)
  return {
    columns: selected.map(({ name }, at) => ({ name, kind: values[at]?.kind ?? 'text' })),
    query: paged(sql, source, order, select, reader.rowsMax),
  }
}

/** The expressions of GROUP BY; none but one group where only aggregates are selected; undefined without groups. */
function groupingOf(select: Node, selected: readonly Selected[]): readonly unknown[] | undefined {
  const given = Array.isArray(select['groupClause']) ? select['groupClause'] : undefined
  if (given !== undefined) return given.map((part) => groupAt(part, selected))
  const isMeasured = selected.some(({ part }) => hasAggregate(part)) || hasAggregate(select['sortClause'])
  return isMeasured || select['havingClause'] !== undefined ? [] : undefined
}

/** GROUP BY names what is selected by its position or its name, or has an expression of its own. */
function groupAt(part: unknown, selected: readonly Selected[]): unknown {
  const [kind, node] = kindOf(part)
  if (kind === 'GroupingSet') throw refused('GROUP BY only accepts expressions', part)
  const position = kind === 'A_Const' ? memberOf(node['ival'], 'ival') : undefined
  if (kind === 'A_Const') {
    const one = typeof position === 'number' ? selected[position - 1] : undefined
    if (one === undefined) throw refused('A number in GROUP BY must be that of a selected column', part)
    return one.part
  }
  const names = kind === 'ColumnRef' ? namesIn(node['fields']) : undefined
  return names?.length === 1 ? (selected.find(({ alias }) => alias === names[0])?.part ?? part) : part
}

function scopeOfRows(reader: Reader, tables: SqlTables): SqlScope {
  const { sql, timeZone, now } = reader
  return {
    sql,
    timeZone,
    now,
    budget: new Budget(),
    known: () => undefined,
    columnAt: (part) => columnValue(sql, locate(part, tables), reader.asSeen, part),
    aggregateOf: (_call, part) => {
      throw refused('An aggregate function is not allowed here', part)
    },
  }
}

/** Columns are written with their table, and nothing says where a part stands in the text. */
const canonicalIn =
  (tables: SqlTables) =>
  (part: unknown): string =>
    JSON.stringify(part, (key, value: unknown) => {
      if (key === 'location') return undefined
      if (kindOf(value)[0] !== 'ColumnRef') return value
      const { table, name } = locate(value, tables)
      return [table.name, name]
    })

function requirePlainDistinct(clause: unknown, around: unknown): void {
  if (Array.isArray(clause) && clause.some((one) => isRecord(one) && Object.keys(one).length > 0))
    throw refused('DISTINCT ON is not supported', clause, around)
}

/** Orders the rows and limits them; what is empty is last in either direction. */
function paged(
  sql: Sql,
  source: Knex.QueryBuilder,
  order: readonly RowOrder[],
  select: Node,
  rowsMax: number,
): Knex.QueryBuilder {
  const query = sql.knex.select('*').from(source.as('q'))
  for (const [at, { position, descending, folds }] of order.entries()) {
    const value = sql.ref(position === undefined ? `o${at}` : `c${position}`)
    query.orderBy(isNull(sql, value)).orderBy(folds ? sql.dialect.fold(value) : value, descending ? 'desc' : 'asc')
  }
  if (select['limitOption'] === 'LIMIT_OPTION_WITH_TIES')
    throw refused('WITH TIES is not supported', select['limitCount'], select)
  const limit = countAt(select['limitCount'], 'LIMIT')
  const offset = countAt(select['limitOffset'], 'OFFSET')
  query.limit(Math.min(limit ?? rowsMax + 1, rowsMax + 1))
  return offset === undefined || offset === 0 ? query : query.offset(offset)
}

function countAt(part: unknown, what: string): number | undefined {
  if (part === undefined) return undefined
  const [kind, node] = kindOf(part)
  const held = kind === 'A_Const' ? node['ival'] : undefined
  // The parser leaves out a zero.
  const count = held === undefined ? -1 : Number(memberOf(held, 'ival') ?? 0)
  if (count < 0) throw refused(`${what} must be a whole number`, part)
  return count
}
