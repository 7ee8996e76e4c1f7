import { Failure, type Fault } from '../../kernel/errors.ts'
import { isId } from '../../kernel/ids.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { Principal } from '../access/index.ts'
import { type ObjectModel, listVisibleIds } from '../objects/index.ts'
import { listMerged } from './recovery/store.ts'

type RecordScope = { readonly object: ObjectModel; readonly principal: Principal }

/**
 * 404 for an id of a missing or hidden record. If the record was merged into one that the caller may see,
 * `meta.merged_into` names that one (docs/decisions/0041).
 */
export async function missingRecord(
  ctx: WorkspaceReadContext,
  { object, principal }: RecordScope,
  id: string,
): Promise<Failure> {
  const target = (await findTargets(ctx, { object, principal }, [id])).get(id)
  return ctx.fail('not_found', {
    detail: missingOne(object, target),
    ...(target !== undefined && { meta: { merged_into: target } }),
  })
}

/**
 * 404 for several ids of a body, in `meta.ids`: one fault for the unknown ones, and one for each record that others
 * were merged into.
 */
export async function missingRecords(
  ctx: WorkspaceReadContext,
  { object, principal }: RecordScope,
  ids: readonly string[],
  asked: number,
): Promise<Failure> {
  const targets = await findTargets(ctx, { object, principal }, ids)
  const faults = [...Map.groupBy(ids, (id) => targets.get(id))].map(([target, some]): Fault => ({
    code: 'not_found',
    detail:
      asked === 1
        ? missingOne(object, target)
        : `${some.length} of ${asked} records ${target === undefined ? 'do not exist' : `were merged into ${target}`}.`,
    meta: { ids: some.slice(0, idsToldMax), ...(target !== undefined && { merged_into: target }) },
  }))
  return new Failure(
    faults.toSorted(
      (a, b) => Number(a.meta?.['merged_into'] !== undefined) - Number(b.meta?.['merged_into'] !== undefined),
    ),
  )
}

const missingOne = ({ name }: ObjectModel, target: string | undefined): string =>
  `There is no ${name} with this id${target === undefined ? '' : `: it was merged into ${target}`}.`

/** Most ids in an error: even for a body of 10,000, more would not be read. */
const idsToldMax = 100

/** By merged id, the record that it was merged into, if the caller may see that one. */
async function findTargets(
  { tx, workspace }: WorkspaceReadContext,
  { object, principal }: RecordScope,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const merged = await listMerged(tx, workspace.workspaceId, ids.filter(isId))
  if (merged.length === 0) return new Map()
  const visible = await listVisibleIds(
    tx,
    workspace.workspaceId,
    object.key,
    [...new Set(merged.map(({ target_id }) => target_id))],
    principal,
  )
  return new Map(
    merged.filter(({ target_id }) => visible.has(target_id)).map(({ merged_id, target_id }) => [merged_id, target_id]),
  )
}
