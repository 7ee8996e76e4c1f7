import type { Json } from './http.ts'

/**
 * Conditions that a partial index is for, on a parameter.
 *
 * A statement that is planned once is planned for all values: Postgres proves nothing of a parameter, and such an index
 * serves it only where the constant is in its text (docs/decisions/0366).
 */

/** A node of the parser's tree: one member, named for its kind. */
type Node = Readonly<Record<string, Json>>

/** The columns that partial indexes compare with a constant, as `table.column`. */
export type ConstantColumns = ReadonlySet<string>

/** Finds them among parsed definitions of indexes. */
export function constantColumns(stmts: readonly { readonly stmt: Node }[]): ConstantColumns {
  const found = stmts.flatMap(({ stmt }) => {
    const { relation, whereClause } = stmt['IndexStmt'] ?? {}
    const columns = [...comparisonsIn(whereClause), ...(whereClause?.['ColumnRef'] ? [whereClause] : [])]
    return columns.flatMap((one) => sidesOf(one).flatMap(nameOf)).map(({ column }) => `${relation.relname}.${column}`)
  })
  return new Set(found)
}

/** The columns of a statement that it compares with a parameter, although an index wants a constant. */
export function boundConstants(stmts: unknown, constants: ConstantColumns): string[] {
  const tables = nodesIn(stmts, 'RangeVar')
  return comparisonsIn(stmts).flatMap((comparison) => {
    const sides = sidesOf(comparison)
    if (!sides.some(isParameter)) return []
    return sides.flatMap(nameOf).flatMap(({ table, column }) =>
      tables
        .filter(({ relname, alias }) => table === undefined || table === (alias?.aliasname ?? relname))
        .map(({ relname }) => `${relname}.${column}`)
        .filter((name) => constants.has(name)),
    )
  })
}

/** Comparisons of any kind; lists of values are compared with one parameter. */
const comparisonsIn = (part: unknown): Node[] => nodesIn(part, 'A_Expr').map((found) => ({ A_Expr: found }))

const sidesOf = (node: Node): Node[] => {
  const { A_Expr: compared } = node
  return compared === undefined ? [node] : [compared.lexpr, compared.rexpr].filter((side) => side !== undefined)
}

const isParameter = ({ ParamRef: parameter, TypeCast: cast }: Node): boolean =>
  parameter !== undefined || (cast !== undefined && isParameter(cast.arg))

const nameOf = ({ ColumnRef: named }: Node): { readonly table: string | undefined; readonly column: string }[] => {
  const names: (string | undefined)[] = (named?.fields ?? []).map(({ String: name }: Node) => name?.sval)
  const column = names.at(-1)
  return column === undefined ? [] : [{ table: names.at(-2), column }]
}

/** All nodes of a kind within a part of the tree. */
function nodesIn(part: unknown, kind: string): Json[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [...(name === kind ? [value] : []), ...nodesIn(value, kind)])
}
