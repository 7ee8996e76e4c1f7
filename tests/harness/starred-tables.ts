import type { Json } from './http.ts'

/** A node of the parser's tree: one member, named for its kind. */
type Node = Readonly<Record<string, Json>>

type Ctes = ReadonlyMap<string, Node>

/**
 * The tables whose columns a parsed statement returns without naming them. A connection that has prepared it fails with
 * "cached plan must not change result type" once a migration has added a column (docs/decisions/0401).
 */
export function starredTables(statement: Node, outer: Ctes = new Map()): string[] {
  const [kind, body] = Object.entries(statement)[0] as [string, Node]
  const ctes = new Map([...outer, ...ctesOf(body['withClause'])])
  if (kind === 'SelectStmt') return ofSelect(body, ctes)
  const { relation, returningClause } = body
  return relation === undefined ? [] : ofTargets(returningClause?.exprs, [{ RangeVar: relation }], ctes)
}

const ctesOf = (clause: Node | undefined): [string, Node][] =>
  (clause?.['ctes'] ?? []).map(({ CommonTableExpr: { ctename, ctequery } }: Node) => [ctename, ctequery])

function ofSelect({ larg, rarg, targetList, fromClause }: Node, ctes: Ctes): string[] {
  if (larg !== undefined) return [larg, rarg].flatMap((side) => starredTables({ SelectStmt: side }, ctes))
  return ofTargets(targetList, fromClause, ctes)
}

/** Reads what a statement returns from the items of its FROM. */
function ofTargets(targets: readonly Node[] = [], from: readonly Node[] = [], ctes: Ctes): string[] {
  return targets.flatMap(({ ResTarget: { val } }) => {
    const fields: readonly Node[] = val?.ColumnRef?.fields ?? []
    if (fields.at(-1)?.['A_Star'] === undefined) return []
    const alias: unknown = fields.length > 1 ? fields[0]?.['String'].sval : undefined
    return from.flatMap((item) => ofItem(item, alias, ctes))
  })
}

function ofItem(
  { RangeVar: table, RangeSubselect: query, JoinExpr: join }: Node,
  alias: unknown,
  ctes: Ctes,
): string[] {
  if (join !== undefined) return [join.larg, join.rarg].flatMap((side) => ofItem(side, alias, ctes))
  const name: unknown = (table ?? query)?.alias?.aliasname ?? table?.relname
  if (alias !== undefined && alias !== name) return []
  if (query !== undefined) return starredTables(query.subquery, ctes)
  if (table === undefined) return []
  const cte = ctes.get(table.relname)
  // A recursive query names itself.
  const others = new Map([...ctes].filter(([other]) => other !== table.relname))
  return cte === undefined ? [table.relname] : starredTables(cte, others)
}
