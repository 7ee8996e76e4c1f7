import type { Fault } from '../../../kernel/errors.ts'
import type { WorkspaceReadContext, WriteContext } from '../../../kernel/implement.ts'
import { pointer } from '../../../lib/pointers.ts'
import { seesAll, type Principal } from '../../access/index.ts'
import type { Field } from '../../fields/index.ts'
import { uniqueValues } from '../../indexes/index.ts'
import { uniqueName, type ObjectModel, listVisibleIds } from '../../objects/index.ts'
import { listUniqueKeys, type UniqueKey } from '../store.ts'
import type { Creation } from './create.ts'
import type { Faults } from './faults.ts'
import type { WriteTarget } from './target.ts'
import { HeldValues } from './side-rows.ts'

type MatchContext = WriteContext<'match_ambiguous' | 'unique_violation'>

/** The field that `match_on` or a reference names; it must be a unique one. */
export function matchField(
  object: ObjectModel,
  name: string,
  faults: Faults,
  path: Creation['path'] = ['match_on'],
): Field | undefined {
  const field = object.uniques.find((unique) => unique.name === name)
  if (field === undefined) {
    const allowed = object.uniques.map((unique) => unique.name)
    faults.add(
      path,
      `"${name}" is not a unique field of ${object.name}; ` +
        `${allowed.length === 0 ? 'it has none' : `allowed: ${allowed.join(', ')}`}.`,
    )
  }
  return field
}

/** The values of a creation by which it can match an existing record. */
export const matchValues = (field: Field, { values }: Creation): string[] =>
  uniqueValues(field, { [field.key]: values.get(field) ?? undefined })

/**
 * For each creation, the id of an existing record that shares one of its values, if the caller may see it. Collections
 * match on any one item.
 */
export async function findMatches(
  ctx: MatchContext,
  target: WriteTarget,
  field: Field,
  creations: readonly Creation[],
): Promise<(string | undefined)[]> {
  const wanted = creations.map((creation) => matchValues(field, creation))
  const keys = await listSeenKeys(ctx, target, field, wanted.flat())
  const holder = new Map(keys.map(({ key_value, record_id }) => [key_value, record_id]))
  const faults: Fault[] = []
  const ambiguities: UniqueKey[] = []
  const matches = wanted.map((values, index) => {
    const candidates = [...new Set(values.flatMap((value) => holder.get(value) ?? []))]
    if (candidates.length > 1) {
      faults.push(ambiguous(field, candidates, creations[index]?.path ?? []))
      ambiguities.push(...keys.filter(({ key_value }) => values.includes(key_value)))
    }
    return candidates[0]
  })
  if (faults.length > 0) throw new HeldValues(faults, ambiguities)
  return matches
}

/** For each value of a unique field, the record that has it, if the caller may see it. */
export async function findHolders(
  ctx: WriteContext,
  target: WriteTarget,
  field: Field,
  values: readonly unknown[],
): Promise<(string | undefined)[]> {
  const wanted = values.map((value) => uniqueValues(field, { [field.key]: value }))
  const keys = await listSeenKeys(ctx, target, field, wanted.flat())
  const holders = new Map(keys.map(({ key_value, record_id }) => [key_value, record_id]))
  return wanted.map((some) => some.map((value) => holders.get(value)).find((id) => id !== undefined))
}

/** Lists the holders of some values of a unique field that the caller may see. */
export async function listSeenKeys(
  { tx, workspace: { workspaceId } }: Pick<WorkspaceReadContext, 'tx' | 'workspace'>,
  { object, principal }: { readonly object: ObjectModel; readonly principal: Principal },
  field: Field,
  values: readonly string[],
): Promise<UniqueKey[]> {
  const unique = [...new Set(values)]
  const keys = unique.length === 0 ? [] : await listUniqueKeys(tx, workspaceId, uniqueName(object, field), unique)
  if (keys.length === 0 || seesAll(principal)) return keys
  const ids = [...new Set(keys.map(({ record_id }) => record_id))]
  const visible = await listVisibleIds(tx, workspaceId, object.key, ids, principal)
  return keys.filter(({ record_id }) => visible.has(record_id))
}

const ambiguous = (field: Field, candidates: readonly string[], path: Creation['path']): Fault => ({
  code: 'match_ambiguous',
  detail: `${candidates.length} records match these values of ${field.name}.`,
  source: { pointer: pointer([...path, field.name]) },
  meta: { field: field.name, candidates },
})
