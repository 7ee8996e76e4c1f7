import { isId } from '../../../kernel/ids.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { listObjects, type ObjectModel } from '../../objects/index.ts'
import { listPaired, type PairedRow } from '../store.ts'
import { oneToOneFields } from './fields.ts'

/** Attributes of a record to be written; without an id it is new. */
type Given = { readonly id?: string | undefined; readonly attributes: Readonly<Record<string, unknown>> }

type Purpose = 'change' | 'delete'

/** Locks all records that a write of counterparts concerns; call it before that write. */
export function lockAssignedCounterparts(
  ctx: WriteContext,
  object: ObjectModel,
  given: readonly Given[],
): Promise<void> {
  const names = oneToOneFields(object).map(({ name }) => name)
  const moved = given.filter(({ attributes }) => names.some((name) => Object.hasOwn(attributes, name)))
  return lockPartners(
    ctx,
    moved
      .flatMap(({ id, attributes }) => [id, ...names.map((name) => attributes[name])])
      .filter((id): id is string => typeof id === 'string' && isId(id)),
    'change',
  )
}

/** Locks the counterparts of records together with them; call it before the records are deleted. */
export const lockFormerCounterparts = (ctx: WriteContext, object: ObjectModel, ids: readonly string[]): Promise<void> =>
  lockPartners(ctx, oneToOneFields(object).length === 0 ? [] : ids.filter(isId), 'delete')

/**
 * Locks records and their counterparts in the order of their ids, whatever their objects: every transaction that
 * changes counterparts uses this order, so that two never deadlock. If counterparts changed during the wait, all locks
 * are released and the attempt is repeated; each repetition means that another transaction has finished.
 */
async function lockPartners(ctx: WriteContext, ids: readonly string[], purpose: Purpose): Promise<void> {
  if (ids.length === 0) return
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  const partnersIn = partnersBy([...(await listObjects(ctx)).values()])
  for (;;) {
    const wanted = new Set([...ids, ...partnersIn(await listPaired(tx, workspaceId, ids))])
    const held = ctx.attempt(async (inner) => {
      const own = new Set(ids)
      const rows = await listPaired(inner.tx, workspaceId, [...wanted], purpose)
      if (partnersIn(rows.filter(({ id }) => own.has(id))).some((id) => !wanted.has(id))) throw new PartnersChanged()
    })
    const changed = await held.then(
      () => false,
      (error: unknown) => {
        if (error instanceof PartnersChanged) return true
        throw error
      },
    )
    if (!changed) return
  }
}

class PartnersChanged extends Error {
  override readonly name = 'PartnersChanged'
}

/** The counterparts that documents name. */
function partnersBy(objects: readonly ObjectModel[]): (rows: readonly PairedRow[]) => string[] {
  const keys = new Map(objects.map((object) => [object.key, oneToOneFields(object).map(({ key }) => key)]))
  return (rows) =>
    rows
      .flatMap(({ object, data }) => (keys.get(object) ?? []).map((key) => data[key]))
      .filter((id) => typeof id === 'string')
}
