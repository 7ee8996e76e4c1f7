import type { Json } from './http.ts'

/** A node of the parser's tree: one member, named for its kind. */
type Node = Readonly<Record<string, Json>>

/**
 * The tables whose `workspace_id` a parsed statement sets in rows that exist. A sharded Postgres refuses to do so, even
 * to the value that a row has (docs/decisions/0142).
 */
export function movedTables(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => [...ofStatement(name, value), ...movedTables(value)])
}

function ofStatement(kind: string, { relation, targetList, onConflictClause }: Node): string[] {
  const targets = { UpdateStmt: targetList, InsertStmt: onConflictClause?.targetList }[kind] ?? []
  return targets.some(({ ResTarget: target }: Node) => target.name === 'workspace_id') ? [relation.relname] : []
}
