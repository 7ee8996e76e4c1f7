import type { WriteStrategies } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import { mapInPortions } from '../../../lib/portions.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import type { Dependent } from '../dependents.ts'
import { lockAssignedCounterparts, lockFormerCounterparts } from '../one-to-one/counterparts.ts'
import { keepHidden, checkReferences } from './references.ts'
import type { RecordRow } from '../../objects/index.ts'
import { Faults } from './faults.ts'
import { parseAttributes, parseContext, parseStrategies, type GivenChange } from './parse-attributes.ts'
import { resolveAttributes } from './record-matches.ts'
import { deleteRecords } from './remove.ts'
import { joinWith } from './strategies.ts'
import { checkType, findTarget, lockTargets } from './target.ts'
import { applyUpdates } from './update.ts'

/** Changes records; all or none, in the order of the body. */
export async function updateRecords(
  ctx: WriteContext<'unique_violation' | 'match_ambiguous'>,
  objectName: string,
  asGiven: readonly GivenChange[],
  meta: WriteStrategies | undefined,
) {
  const target = await findTarget(ctx, objectName)
  const { object } = target
  const faults = new Faults()
  const given = await resolveAttributes(ctx, object, asGiven, faults)
  const ids = given.map(({ id }) => id)
  await lockAssignedCounterparts(ctx, object, given)
  const rows = await lockTargets(ctx, target, ids)
  const context = await parseContext(ctx)
  const strategies = parseStrategies(object, meta, faults)
  const seen = new Set<string>()
  const updates = await mapInPortions(given, ({ id, type, attributes, path }, index) => {
    checkType(object, type, path.slice(0, -1), faults)
    if (seen.has(id)) faults.add([...path.slice(0, -1), 'id'], 'This record is changed twice in one request.')
    seen.add(id)
    const row = defined(rows[index])
    const values = parseAttributes(object, attributes, path, faults, context, strategies)
    return joinWith(row, { values, attributes, path }, strategies, faults, context.country)
  })
  await checkReferences(ctx, object, updates, faults)
  faults.throwIfAny()
  return { target, updated: await applyUpdates(ctx, target, await keepHidden(ctx, object, updates)) }
}

/** Deletes records; all or none. An id given twice counts once. Returns the records as they were. */
export async function removeRecords(
  ctx: WriteContext,
  objectName: string,
  ids: readonly string[],
  dependents: readonly Dependent[],
): Promise<RecordRow[]> {
  const target = await findTarget(ctx, objectName, 'delete')
  const unique = [...new Set(ids)]
  await lockFormerCounterparts(ctx, target.object, unique)
  const rows = await lockTargets(ctx, target, unique, 'delete')
  await deleteRecords(ctx, target, rows)
  for (const { hide } of dependents) await hide?.(ctx.tx, ctx.workspace.workspaceId, unique, ctx.newId)
  return rows
}
