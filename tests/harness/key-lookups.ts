import type { Json } from './http.ts'

/**
 * Lookups of records by their key that another index could serve.
 *
 * All other indexes of `record` are partial, by `deleted_at`. Without statistics the planner takes each for as good as
 * the primary key, and reads all records of an object in it (docs/decisions/0366). A condition on the bare column
 * permits them; `isLive` and `deletedAfter` of `db/expressions.ts` do not.
 */

/** A node of the parser's tree: one member, named for its kind. */
type Node = Readonly<Record<string, Json>>

const queries = ['SelectStmt', 'UpdateStmt', 'DeleteStmt']

/** The aliases of records that a statement finds by id beside a condition on the bare `deleted_at`. */
export function openLookups(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [
    ...(queries.includes(name) ? openIn(value as Node) : []),
    ...openLookups(value),
  ])
}

function openIn({ relation, fromClause = [], whereClause }: Node): string[] {
  const tables: Node[] = []
  const conditions: Node[] = []
  const read = ({ RangeVar: table, JoinExpr: join }: Node): void => {
    if (table !== undefined) tables.push(table)
    if (join === undefined) return
    read(join.larg)
    read(join.rarg)
    collect(join.quals, conditions)
  }
  for (const item of relation === undefined ? fromClause : [{ RangeVar: relation }, ...fromClause]) read(item)
  collect(whereClause, conditions)
  const aliases = tables.map(({ relname, alias }) => alias?.aliasname ?? relname)
  return tables.flatMap(({ relname }, index) => {
    const alias = aliases[index]
    const is = (side: Node | undefined, column: string): boolean => {
      const names = (side?.['ColumnRef']?.fields ?? []).map(({ String: name }: Node) => name?.sval)
      return names.at(-1) === column && (names.length === 1 || names[0] === alias)
    }
    /** A column of a table beside it may be joined in any way. */
    const isFixed = (side: Node | undefined): boolean => {
      const names = (side?.['ColumnRef']?.fields ?? []).map(({ String: name }: Node) => name?.sval)
      return names.length === 0 || (names.length > 1 && !aliases.includes(names[0]))
    }
    const findsById = ({ A_Expr: compared }: Node): boolean =>
      compared?.name[0].String.sval === '=' &&
      [
        [compared.lexpr, compared.rexpr],
        [compared.rexpr, compared.lexpr],
      ].some(([one, other]) => is(one, 'id') && isFixed(other))
    const isOpen = ({ A_Expr: compared, NullTest: tested }: Node): boolean =>
      is(tested?.arg, 'deleted_at') || is(compared?.lexpr, 'deleted_at')
    return relname === 'record' && conditions.some(findsById) && conditions.some(isOpen) ? [alias] : []
  })
}

/** Collects the conditions that must all hold. Those in parentheses are of a caller's filter, which may name any. */
function collect(condition: Node | undefined, into: Node[]): void {
  if (condition?.['BoolExpr']?.boolop === 'AND_EXPR') into.push(...condition['BoolExpr'].args)
  else if (condition !== undefined) into.push(condition)
}
