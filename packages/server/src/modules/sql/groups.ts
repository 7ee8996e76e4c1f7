import type { Knex } from 'knex'
import { aliased } from '../../db/expressions.ts'
import { isNameIn } from '../../lib/guards.ts'
import { kindOf, namesIn, only, refused, type Node } from '../sql-grammar/index.ts'
import { aggregates, type AggregateName } from './functions.ts'
import { conditionAt, valueAt } from './expression.ts'
import { kindNames, type SqlScope, type SqlValue } from './value.ts'

/** Writes a part of the tree in one way, however it was written, so that the same expressions are found. */
export type Canonical = (part: unknown) => string

/**
 * The groups of a SELECT and the measures of them: the rows give the groups as `g0`, `g1` and what is measured as `a0`,
 * `a1`; one row of a group has its measures as `m0`, `m1`.
 */
export class Groups {
  readonly #rows: SqlScope
  readonly #canonical: Canonical
  readonly #groups = new Map<string, SqlValue>()
  readonly #measures = new Map<
    string,
    { readonly argument: Knex.Raw; readonly measure: Knex.Raw; readonly value: SqlValue }
  >()

  constructor(rows: SqlScope, canonical: Canonical, groupBy: readonly unknown[]) {
    this.#rows = rows
    this.#canonical = canonical
    for (const part of groupBy) this.#groups.set(canonical(part), valueAt(part, rows))
  }

  /** The scope of what is selected from the groups. */
  get scope(): SqlScope {
    const { sql } = this.#rows
    const names = [...this.#groups.keys()]
    return {
      ...this.#rows,
      known: (part) => {
        const key = this.#canonical(part)
        const group = this.#groups.get(key)
        return group && { ...group, value: this.#shown(group.kind, sql.ref(`g${names.indexOf(key)}`)) }
      },
      columnAt: (part) => {
        throw refused('A column must be in GROUP BY, or in an aggregate function such as COUNT', part)
      },
      aggregateOf: (call, part) => this.#aggregate(call, part),
    }
  }

  /** The groups of rows, as a table. */
  from(rows: Knex.QueryBuilder): Knex.QueryBuilder {
    const { sql } = this.#rows
    const names = [...this.#groups.keys()].map((_, at) => `g${at}`)
    const measures = [...this.#measures.values()]
    const inner = rows.select([
      aliased(sql, sql`1`, 'one'),
      ...[...this.#groups.values()].map((group, at) => aliased(sql, stored(sql, group), `g${at}`)),
      ...measures.map(({ argument }, at) => aliased(sql, argument, `a${at}`)),
    ])
    const grouped = sql.knex
      .select([
        aliased(sql, sql`1`, 'one'),
        ...names,
        ...measures.map(({ measure }, at) => aliased(sql, measure, `m${at}`)),
      ])
      .from(inner.as('r'))
    return names.length > 0 ? grouped.groupBy(names) : grouped
  }

  /** Flags are numbers in the rows, since databases differ in them. */
  #shown(kind: SqlValue['kind'], value: Knex.Raw): Knex.Raw {
    return kind === 'flag' ? this.#rows.sql`(${value} = 1)` : value
  }

  #aggregate(call: Node, part: unknown): SqlValue {
    const key = this.#canonical(part)
    const known = this.#measures.get(key)
    if (known !== undefined) return known.value
    const { sql } = this.#rows
    const at = this.#measures.size
    const value = { kind: 'number' as const, value: sql.ref(`m${at}`) }
    // Its place is taken first: an argument has no aggregate of its own.
    const measure = this.#measure(call, part, sql.ref(`a${at}`))
    const made = { ...measure, value: { ...value, kind: measure.kind } }
    this.#measures.set(key, made)
    return made.value
  }

  #measure(call: Node, part: unknown, argument: Knex.Raw) {
    const name = nameOf(call)
    if (!isNameIn(aggregates, name)) throw refused('This is not an aggregate function', part)
    only(call, ['funcname', 'args', 'agg_star', 'agg_distinct', 'agg_filter', 'funcformat'], name.toUpperCase())
    const { sql } = this.#rows
    const filter = call['agg_filter'] === undefined ? undefined : conditionAt(call['agg_filter'], this.#rows)
    const counted = (value: Knex.Raw) => (filter === undefined ? value : sql`case when ${filter} then ${value} end`)
    if (call['agg_star'] === true) {
      if (name !== 'count') throw refused(`${name.toUpperCase()} requires a column`, part)
      return { kind: 'number' as const, argument: counted(sql`1`), measure: sql`count(${argument})` }
    }
    const args = Array.isArray(call['args']) ? call['args'] : []
    if (args.length !== 1) throw refused(`${name.toUpperCase()} accepts one argument`, part)
    const measured = valueAt(args[0], this.#rows)
    const kinds: readonly string[] | undefined = aggregates[name]
    if (kinds !== undefined && !kinds.includes(measured.kind))
      throw refused(`${name.toUpperCase()} does not accept a ${kindNames[measured.kind]}`, args[0], part)
    const isDistinct = call['agg_distinct'] === true
    if (isDistinct && name !== 'count') throw refused('DISTINCT is only supported in COUNT', part)
    return {
      kind: name === 'min' || name === 'max' ? measured.kind : ('number' as const),
      argument: counted(stored(sql, measured)),
      measure: measureOf(name, argument, this.#rows, isDistinct),
    }
  }
}

const stored = (sql: SqlScope['sql'], { kind, value }: SqlValue): Knex.Raw =>
  kind === 'flag' ? sql`case when ${value} then 1 when not ${value} then 0 end` : value

function measureOf(name: AggregateName, argument: Knex.Raw, { sql }: SqlScope, isDistinct: boolean): Knex.Raw {
  if (name === 'median') return sql.dialect.median(argument)
  if (name === 'count') return isDistinct ? sql`count(distinct ${argument})` : sql`count(${argument})`
  if (name === 'sum') return sql`sum(cast(${argument} as float8))`
  return name === 'avg' ? sql`avg(cast(${argument} as float8))` : sql`${sql.knex.raw(name)}(${argument})`
}

const nameOf = (call: Node): string => (namesIn(call['funcname'])?.at(-1) ?? '').toLowerCase()

/** Tells whether an expression has an aggregate function in it. */
export function hasAggregate(part: unknown): boolean {
  if (Array.isArray(part)) return part.some(hasAggregate)
  if (typeof part !== 'object' || part === null) return false
  const [kind, node] = kindOf(part)
  if (kind === 'FuncCall' && isNameIn(aggregates, nameOf(node))) return true
  return Object.values(part).some(hasAggregate)
}
