import type { Change } from '@kontor/contract'
import { isList } from '../../lib/guards.ts'
import { mapInPortions } from '../../lib/portions.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, atLeast, levelsOn, seesAll } from '../access/index.ts'
import { listObjects, type ObjectModel } from '../objects/index.ts'
import { listGuarded } from './store.ts'
import { mergedIdsKey, type RecordData } from '../fields/index.ts'
import { isDeepStrictEqual } from 'node:util'

/** Members of a document whose ids are not references, and members of changes that are not part of documents. */
const plain: ReadonlySet<unknown> = new Set(['_id', mergedIdsKey, 'access', 'comments'])

const idsIn = (value: unknown): string[] =>
  (isList(value) ? value : [value]).filter((one): one is string => typeof one === 'string' && isId(one))

const idsOf = ({ path, val, oldVal }: Change): string[] => (plain.has(path[0]) ? [] : [...idsIn(val), ...idsIn(oldVal)])

/** Ids in changes that may be those of records. */
export const idsInChanges = (changes: readonly Change[]): string[] => changes.flatMap(idsOf)

/**
 * Redacts hidden records from changes. Changes carry the field names of their time, so the field does not tell whether
 * a value is a reference: every id is looked up.
 */
export async function redactChanges<C extends Change>(
  ctx: WorkspaceReadContext,
  all: readonly (readonly C[])[],
): Promise<C[][]> {
  const ids = await mapInPortions(all, idsInChanges)
  const sight = await sightOf(ctx, ids.flat())
  return mapInPortions(all, (changes) => seenChanges(changes, sight))
}

/** The ids among some that a caller may see. */
export type Sight = {
  /** Returns whether the id is that of a record which the caller may not see. */
  readonly hides: (id: unknown) => boolean
  /**
   * Returns whether the caller may see a record, or a deleted one. A purged one is shown to those who see all of its
   * object.
   */
  readonly shows: (object: string, id: string) => boolean
}

/** Finds out what the caller may see of records of any objects: one query, and one for each object with grants. */
export async function sightOf(ctx: WorkspaceReadContext, ids: readonly string[]): Promise<Sight> {
  const objects = ids.length === 0 ? new Map<string, ObjectModel>() : await listObjects(ctx)
  const closed = new Map(
    [...objects.values()]
      .map(({ key, schema }) => [key, principalOf(ctx, schema, 'name')] as const)
      .filter(([, principal]) => !seesAll(principal)),
  )
  const { workspaceId } = ctx.workspace
  const rows = closed.size === 0 ? [] : await listGuarded(ctx.tx, workspaceId, [...new Set(ids)])
  const hidden = new Set<unknown>()
  for (const [key, some] of Map.groupBy(rows, ({ object }) => object)) {
    const principal = closed.get(key)
    if (principal === undefined) continue
    const levelOf = await levelsOn(ctx.tx, workspaceId, principal, some, 'view')
    for (const row of some) if (!atLeast(levelOf(row), 'view')) hidden.add(row.id)
  }
  const known = new Set(rows.map(({ id }) => id))
  return {
    hides: (id) => hidden.has(id),
    shows: (name, id) => {
      const object = objects.get(name)
      return object !== undefined && (!closed.has(object.key) || (known.has(id) && !hidden.has(id)))
    },
  }
}

/** Changes without the ids of hidden records; those of which nothing is left are left out. */
export const seenChanges = <C extends Change>(changes: readonly C[], { hides }: Sight): C[] =>
  changes.flatMap((change) => without(change, hides))

/** A change without the ids of hidden records; none if nothing else remains. */
function without<C extends Change>(change: C, hides: Sight['hides']): C[] {
  if (!idsOf(change).some((id) => hides(id))) return [change]
  const [val, oldVal] = [change.val, change.oldVal].map((value) => withoutIds(value, hides))
  return val === null && oldVal === null ? [] : [{ ...change, val, oldVal }]
}

function withoutIds(value: unknown, hides: Sight['hides']): unknown {
  if (!Array.isArray(value)) return typeof value === 'string' && hides(value) ? null : value
  const left = value.filter((one) => !hides(one))
  return left.length === 0 ? null : left
}

/** The differences between two states of a record, field by field; null stands for no value. */
export function diffData(object: ObjectModel, before: RecordData, after: RecordData): Change[] {
  return object.attributes.flatMap(({ name, key }): Change[] => {
    const oldVal = before[key] ?? null
    const val = after[key] ?? null
    if (isDeepStrictEqual(oldVal, val)) return []
    return [{ op: oldVal === null ? 'add' : val === null ? 'delete' : 'update', path: [name], val, oldVal }]
  })
}
