import type { Change } from '@kontor/contract'
import { isList } from '../../lib/guards.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, atLeast, levelsOn, seesAll } from '../access/index.ts'
import { listObjects } from '../objects/index.ts'
import { listGuarded } from './store.ts'
import { mergedIdsKey } from '../fields/index.ts'

/** Members of a document whose ids are not references, and members of changes that are not part of documents. */
const plain: ReadonlySet<unknown> = new Set(['_id', mergedIdsKey, 'access', 'comments'])

const idsIn = (value: unknown): string[] =>
  (isList(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && isId(one))

const idsOf = ({ path, val, oldVal }: Change): string[] => (plain.has(path[0]) ? [] : [...idsIn(val), ...idsIn(oldVal)])

/**
 * Redacts hidden records from changes. Changes carry the field names of their time, so the field does not tell whether
 * a value is a reference: every id is looked up.
 */
export async function redactChanges<C extends Change>(
  ctx: WorkspaceReadContext,
  all: readonly (readonly C[])[],
): Promise<C[][]> {
  const hidden = await hiddenAmong(ctx, [...new Set(all.flat().flatMap(idsOf))])
  return all.map((changes) => (hidden.size === 0 ? [...changes] : changes.flatMap((change) => without(change, hidden))))
}

async function hiddenAmong(ctx: WorkspaceReadContext, ids: readonly string[]): Promise<ReadonlySet<unknown>> {
  const objects = ids.length === 0 ? [] : [...(await listObjects(ctx)).values()]
  const closed = new Map(
    objects
      .map(({ key, schema }) => [key, principalOf(ctx, schema, 'name')] as const)
      .filter(([, principal]) => !seesAll(principal)),
  )
  if (closed.size === 0) return new Set()
  const { workspaceId } = ctx.workspace
  const hidden = new Set<string>()
  for (const [key, rows] of Map.groupBy(await listGuarded(ctx.tx, workspaceId, ids), ({ object }) => object)) {
    const principal = closed.get(key)
    if (principal === undefined) continue
    const levelOf = await levelsOn(ctx.tx, workspaceId, principal, rows, 'view')
    for (const row of rows) if (!atLeast(levelOf(row), 'view')) hidden.add(row.id)
  }
  return hidden
}

/** A change without the ids of hidden records; none if nothing else remains. */
function without<C extends Change>(change: C, hidden: ReadonlySet<unknown>): C[] {
  if (!idsOf(change).some((id) => hidden.has(id))) return [change]
  const [val, oldVal] = [change.val, change.oldVal].map((value) => withoutIds(value, hidden))
  return val === null && oldVal === null ? [] : [{ ...change, val, oldVal }]
}

function withoutIds(value: unknown, hidden: ReadonlySet<unknown>): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' && hidden.has(value) ? null : value
  const left = value.filter((one) => !hidden.has(one))
  return left.length === 0 ? null : left
}
