import { isId } from '../../../kernel/ids.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { listObjects, type ObjectModel } from '../../objects/index.ts'
import { listPaired, type PairedRow } from '../store.ts'
import type { Field } from '../../fields/index.ts'

/** Fields whose inverse field also leads to one record. */
export const oneToOneFields = (object: ObjectModel): Field[] => object.references.filter(isOneToOne)

export const isOneToOne = ({ relationship }: Field): boolean => relationship?.kind === 'one-to-one'

/** Attributes of a record to be written; without an id it is new. */
type SentItem = { readonly id?: string | undefined; readonly attributes: Readonly<Record<string, unknown>> }

type Purpose = 'change' | 'delete'

/** Locks all records that a write of counterparts concerns; call it before that write. */
export function lockAssignedCounterparts(
  ctx: WriteContext,
  object: ObjectModel,
  given: readonly SentItem[],
): Promise<void> {
  const names = oneToOneFields(object).map(({ name }) => name)
  const moved = given.filter(({ attributes }) => names.some((name) => Object.hasOwn(attributes, name)))
  return lockNamed(
    ctx,
    moved
      .flatMap(({ id, attributes }) => [id, ...names.map((name) => attributes[name])])
      .filter((id): id is string => typeof id === 'string' && isId(id)),
    'change',
  )
}

/** Locks the counterparts of records together with them; call it before the records are deleted. */
export const lockFormerCounterparts = (ctx: WriteContext, object: ObjectModel, ids: readonly string[]): Promise<void> =>
  lockNamed(ctx, oneToOneFields(object).length === 0 ? [] : ids.filter(isId), 'delete')

/** Locks deleted records together with those that a restore may pair them with; call it before they are restored. */
export const lockReturningCounterparts = (
  ctx: WriteContext,
  object: ObjectModel,
  ids: readonly string[],
  findPartners: (tx: ReadTx) => Promise<string[]>,
): Promise<void> =>
  lockPartners(ctx, oneToOneFields(object).length === 0 ? [] : ids.filter(isId), 'delete', findPartners)

/** Locks records and the counterparts that their documents name. */
async function lockNamed(ctx: WriteContext, ids: readonly string[], purpose: Purpose): Promise<void> {
  const partnersIn = partnersBy([...(await listObjects(ctx)).values()])
  const { workspaceId } = ctx.workspace
  await lockPartners(ctx, ids, purpose, async (tx, locked) =>
    partnersIn(locked ?? (await listPaired(tx, workspaceId, ids))),
  )
}

/** Finds the counterparts of some records, whose rows it is given once they are locked. */
type FindPartners = (tx: ReadTx, locked?: readonly PairedRow[]) => Promise<string[]>

/**
 * Locks records and their counterparts in the order of their ids, whatever their objects, and deleted or not: every
 * transaction that changes counterparts uses this order, so that two never deadlock. A deleted record that was left out
 * could be restored meanwhile, and be locked out of turn. If counterparts changed during the wait, all locks are
 * released and the attempt is repeated; each repetition means that another transaction has finished.
 */
async function lockPartners(
  ctx: WriteContext,
  ids: readonly string[],
  purpose: Purpose,
  findPartners: FindPartners,
): Promise<void> {
  if (ids.length === 0) return
  const {
    tx,
    workspace: { workspaceId },
  } = ctx
  for (;;) {
    const wanted = new Set([...ids, ...(await findPartners(tx))])
    const held = ctx.attempt(async (inner) => {
      const own = new Set(ids)
      const rows = await listPaired(inner.tx, workspaceId, [...wanted], purpose)
      const partners = await findPartners(
        inner.tx,
        rows.filter(({ id }) => own.has(id)),
      )
      if (partners.some((id) => !wanted.has(id))) throw new PartnersChanged()
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
