import type { Json } from './http.ts'

/**
 * Which tables of a parsed statement are not bound to a workspace.
 *
 * A table is bound where its `workspace_id` equals a parameter or a constant, or a column that does, at the level of
 * the query where the table stands. A column of an outer query binds nothing: a database that is sharded by workspace
 * sends a statement to one node only if every level says which (docs/decisions/0142).
 */

/** A node of the parser's tree: one member, named for its kind. */
type Node = Readonly<Record<string, Json>>

/** A column of a table or of a query's result, and whether it holds one bound value. */
type Output = { readonly name: string | undefined; readonly bound: boolean }

/** A part of a FROM: a table of workspaces, or anything else with its columns. */
type Relation = { readonly alias: string; readonly table: string | undefined; readonly outputs: readonly Output[] }

/**
 * Two sides that are equal: each a column of the level, or a bound value. A side joined by LEFT JOIN alone is bound.
 */
type Equality = { readonly sides: readonly [Side, Side]; readonly binds: (alias: string) => boolean }
type Side = { readonly alias: string; readonly column: string } | 'value' | undefined

type Scope = {
  readonly tables: ReadonlySet<string>
  readonly ctes: ReadonlyMap<string, readonly Output[]>
  readonly found: string[]
}

type Level = {
  readonly relations: Relation[]
  readonly equalities: Equality[]
  /** The columns that hold one bound value, by alias. */
  readonly bound: Map<string, Set<string>>
  readonly scope: Scope
}

const key = 'workspace_id'

/** The unbound tables of a statement, each with its alias, in the order of the text. */
export function unboundTables(statement: Node, tables: ReadonlySet<string>): string[] {
  const found: string[] = []
  readStatement(statement, { tables, ctes: new Map(), found })
  return found
}

const statements = ['SelectStmt', 'InsertStmt', 'UpdateStmt', 'DeleteStmt']

/** Reads a statement and the queries in it; returns the columns of its result. */
function readStatement(node: Node, outer: Scope): readonly Output[] {
  const [kind, statement] = Object.entries(node)[0] as [string, Node]
  if (!statements.includes(kind)) return []
  if (kind === 'SelectStmt') return readSelect(statement, outer)
  const scope = withCtes(statement['withClause'], outer)
  if (kind === 'InsertStmt') return readInsert(statement, scope)
  const { relation, fromClause = [], usingClause = [], whereClause, targetList, returningClause } = statement
  const level = readFrom([{ RangeVar: relation }, ...fromClause, ...usingClause], whereClause, scope)
  walk([whereClause, targetList, returningClause], scope)
  return resultOf(level, returningClause?.exprs)
}

function withCtes(clause: Node | undefined, outer: Scope): Scope {
  if (clause === undefined) return outer
  const ctes = new Map(outer.ctes)
  const scope = { ...outer, ctes }
  for (const { CommonTableExpr: cte } of clause['ctes']) {
    // The first part of a recursive query decides the columns of its rows.
    const first = clause['recursive'] === true ? cte.ctequery.SelectStmt?.larg : undefined
    if (first !== undefined)
      ctes.set(cte.ctename, renamed(readSelect(first, { ...scope, found: [] }), cte.aliascolnames))
    ctes.set(cte.ctename, renamed(readStatement(cte.ctequery, scope), cte.aliascolnames))
  }
  return scope
}

function readSelect(select: Node, outer: Scope): readonly Output[] {
  const { withClause, larg, rarg, valuesLists, fromClause = [], ...rest } = select
  const scope = withCtes(withClause, outer)
  if (larg !== undefined) {
    const [left, right] = [readSelect(larg, scope), readSelect(rarg, scope)]
    return left.map(({ name, bound }, index) => ({ name, bound: bound && right[index]?.bound === true }))
  }
  walk([valuesLists, rest], scope)
  if (valuesLists !== undefined) return valuesOf(valuesLists)
  return resultOf(readFrom(fromClause, rest['whereClause'], scope), rest['targetList'])
}

/** Rows of values bind a column if it has the same value in all of them. */
function valuesOf(rows: readonly Node[]): Output[] {
  const [first, ...others] = rows.map(({ List }) => List.items as Node[])
  return first!.map((value, index) => ({
    name: `column${index + 1}`,
    bound: isValue(value) && others.every((row) => numberOf(row[index]) === numberOf(value)),
  }))
}

const numberOf = (value: Node | undefined): unknown => uncast(value)?.['ParamRef']?.number ?? value

function readInsert({ relation, cols = [], selectStmt, onConflictClause, returningClause }: Node, scope: Scope) {
  const given = selectStmt === undefined ? [] : readStatement(selectStmt, scope)
  const position = cols.findIndex(({ ResTarget }: Node) => ResTarget.name === key)
  const level = levelOf(scope)
  const [alias] = readItem({ RangeVar: relation }, level)
  if (given[position]?.bound === true) level.bound.get(alias!)?.add(key)
  report(level)
  walk([onConflictClause, returningClause], scope)
  return resultOf(level, returningClause?.exprs)
}

/** Reads what stands in a FROM, and reports the tables that neither a join nor the WHERE binds. */
function readFrom(items: readonly Node[], where: Node | undefined, scope: Scope): Level {
  const level = levelOf(scope)
  for (const item of items) readItem(item, level)
  readCondition(where, level, () => true)
  while (level.equalities.some((one) => spread(one, level)));
  report(level)
  return level
}

const levelOf = (scope: Scope): Level => ({ relations: [], equalities: [], bound: new Map(), scope })

function report({ relations, bound, scope }: Level): void {
  for (const { alias, table } of relations)
    if (table !== undefined && bound.get(alias)?.has(key) !== true)
      scope.found.push(alias === table ? table : `${table} as ${alias}`)
}

/** Returns the aliases of an item. */
function readItem(item: Node, level: Level): string[] {
  const { RangeVar: table, RangeSubselect: query, JoinExpr: join, RangeFunction: called } = item
  if (join !== undefined) return readJoin(join, level)
  const add = (alias: string, outputs: readonly Output[], ofTable?: string): string[] => {
    level.relations.push({ alias, table: ofTable, outputs })
    level.bound.set(alias, new Set(outputs.flatMap(({ name, bound }) => (bound && name !== undefined ? [name] : []))))
    return [alias]
  }
  if (query !== undefined)
    return add(query.alias?.aliasname ?? '', renamed(readStatement(query.subquery, level.scope), query.alias?.colnames))
  if (called !== undefined) {
    walk(called, level.scope)
    return add(called.alias?.aliasname ?? '', renamed([], called.alias?.colnames))
  }
  const { relname, alias } = table
  const cte = level.scope.ctes.get(relname)
  if (cte !== undefined) return add(alias?.aliasname ?? relname, renamed(cte, alias?.colnames))
  const isOfWorkspaces = level.scope.tables.has(relname)
  const outputs = isOfWorkspaces ? [{ name: key, bound: false }] : []
  return add(alias?.aliasname ?? relname, outputs, isOfWorkspaces ? relname : undefined)
}

function readJoin({ jointype, larg, rarg, quals, usingClause }: Node, level: Level): string[] {
  const [left, right] = [readItem(larg, level), readItem(rarg, level)]
  walk(quals, level.scope)
  // An outer join narrows only the side that may be missing.
  const narrowed: Record<string, readonly string[]> = {
    JOIN_INNER: [...left, ...right],
    JOIN_LEFT: right,
    JOIN_RIGHT: left,
  }
  const binds = (alias: string): boolean => narrowed[jointype]?.includes(alias) === true
  readCondition(quals, level, binds)
  for (const { String: column } of usingClause ?? [])
    for (const one of left)
      for (const other of right)
        level.equalities.push({
          sides: [
            { alias: one, column: column.sval },
            { alias: other, column: column.sval },
          ],
          binds,
        })
  return [...left, ...right]
}

/** Collects the equalities that hold wherever a condition does. */
function readCondition(condition: Node | undefined, level: Level, binds: Equality['binds']): void {
  const { BoolExpr: joined, A_Expr: compared } = condition ?? {}
  if (joined?.boolop === 'AND_EXPR') for (const part of joined.args) readCondition(part, level, binds)
  if (compared?.kind !== 'AEXPR_OP' || compared.name[0].String.sval !== '=') return
  const [left, right] = [compared.lexpr, compared.rexpr].map((side) => side?.RowExpr?.args ?? [side]) as [
    Node[],
    Node[],
  ]
  for (const [index, one] of left.entries())
    level.equalities.push({ sides: [sideOf(one, level), sideOf(right[index], level)], binds })
}

function sideOf(expression: Node | undefined, { relations }: Level): Side {
  const fields: readonly Node[] | undefined = expression?.['ColumnRef']?.fields
  if (fields === undefined) return isValue(expression) ? 'value' : undefined
  const [column, alias] = fields.map(({ String: name }) => name?.sval as string | undefined).toReversed()
  const relation = relations.find((one) =>
    alias === undefined ? one.outputs.some(({ name }) => name === column) : one.alias === alias,
  )
  return relation && column !== undefined ? { alias: relation.alias, column } : undefined
}

/** A parameter or a constant. A function may give many values, such as `unnest`. */
const isValue = (expression: Node | undefined): boolean =>
  ['ParamRef', 'A_Const'].includes(Object.keys(uncast(expression) ?? {})[0] ?? '')

const uncast = (expression: Node | undefined): Node | undefined =>
  expression?.['TypeCast'] === undefined ? expression : uncast(expression['TypeCast'].arg)

/** Binds the one side of an equality if the other is bound; returns whether it was not before. */
function spread({ sides, binds }: Equality, { bound }: Level): boolean {
  const [from, to] = isBound(sides[0], bound) ? sides : sides.toReversed()
  if (!isBound(from, bound) || isBound(to, bound) || typeof to !== 'object' || !binds(to.alias)) return false
  bound.get(to.alias)?.add(to.column)
  return true
}

const isBound = (side: Side, bound: Level['bound']): boolean =>
  side === 'value' || (side !== undefined && bound.get(side.alias)?.has(side.column) === true)

/** The columns of the result of a level, by what its SELECT or RETURNING lists. */
function resultOf(level: Level, targets: readonly Node[] = []): Output[] {
  const { relations, bound } = level
  return targets.flatMap(({ ResTarget: { name, val } }) => {
    const expression = uncast(val)
    const [last, before] = (expression?.['ColumnRef']?.fields ?? []).toReversed() as Node[]
    if (last?.['A_Star'] === undefined)
      return [{ name: name ?? last?.['String'].sval, bound: isBound(sideOf(expression, level), bound) }]
    return relations
      .filter(({ alias }) => before === undefined || alias === before['String'].sval)
      .flatMap(({ alias, outputs }) =>
        outputs.map((output) => ({
          name: output.name,
          bound: isBound(output.name === undefined ? undefined : { alias, column: output.name }, bound),
        })),
      )
  })
}

const renamed = (outputs: readonly Output[], names: readonly Node[] | undefined): readonly Output[] =>
  names?.map(({ String: name }, index) => ({ name: name.sval, bound: outputs[index]?.bound === true })) ?? outputs

/** Reads the queries in an expression, each a level of its own. */
function walk(part: unknown, scope: Scope): void {
  if (typeof part !== 'object' || part === null) return
  for (const [name, value] of Object.entries(part)) {
    if (statements.includes(name)) readStatement({ [name]: value }, scope)
    else walk(value, scope)
  }
}
