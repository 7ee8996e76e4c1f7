import { defined } from '../../../lib/guards.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { atLeast, levelsOn, type Principal } from '../../access/index.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import {
  findObject,
  lockRecords,
  listObjects,
  type ObjectAccess,
  type RecordRow,
  type ObjectModel,
} from '../../objects/index.ts'
import { isId } from '../../../kernel/ids.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { listPaired, type PairedRow } from '../store.ts'

/** Fields whose inverse field also leads to one record. */
const oneToOneFields = (object: ObjectModel): Field[] => object.references.filter(isOneToOne)

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
  if (ids.length === 0) return
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

/** An object whose records the credential may change. */
type Target = ObjectAccess<'write' | 'delete'>

/** A write of a record: the stored row, the new data without effects on counterparts, and the given values. */
export type Write = { readonly row: RecordRow; readonly data: RecordData; readonly values: ReadonlyMap<Field, unknown> }

/** A record that changes because another took it as counterpart, or left it. */
export type Counterpart = { readonly target: Target; readonly row: RecordRow; readonly data: RecordData }

export type Paired = {
  /** The new data of the written records, in their order: if two take the same counterpart, the later one keeps it. */
  readonly data: readonly RecordData[]
  readonly partners: readonly Counterpart[]
}

type Loaded = Counterpart & { readonly data: Draft }
type Pair = PairKeys & { readonly field: Field }

/**
 * Computes the effects of writes on the other ends of one-to-one relationships; 403 for a new counterpart that the
 * caller may not change.
 */
export async function assignCounterparts(ctx: WriteContext, target: Target, writes: readonly Write[]): Promise<Paired> {
  const fields = oneToOneFields(target.object).filter((field) => writes.some((write) => moves(field, write)))
  if (fields.length === 0) return { data: writes.map(({ data }) => data), partners: [] }
  const records = new Map(
    writes.map((write): [unknown, Loaded] => [
      write.row.id,
      { target, row: write.row, data: withFormer(fields, write) },
    ]),
  )
  const pairs: Pair[] = []
  for (const field of fields) pairs.push(await loadPair(ctx, target, field, writes, records))
  const drafts = new Map([...records].map(([id, { data }]) => [id, data]))
  for (const { row, data, values } of writes) {
    for (const pair of pairs) if (values.has(pair.field)) assign(drafts, pair, row.id, data[pair.key])
  }
  const written = new Set(writes.map(({ row }) => row.id))
  return {
    data: writes.map(({ row }) => defined(drafts.get(row.id))),
    partners: [...records.values()].filter(({ row }) => !written.has(row.id)),
  }
}

/** The new document, but with the previous counterparts. */
function withFormer(fields: readonly Field[], { row, data }: Write): Draft {
  const draft: Draft = { ...data }
  for (const { key } of fields) {
    if (row.data[key] === undefined) delete draft[key]
    else draft[key] = row.data[key]
  }
  return draft
}

const moves = ({ key }: Field, { row, data }: Write): boolean => row.data[key] !== data[key]

/** Reads the counterparts of a field before and after the writes, and the records that the new ones are taken from. */
async function loadPair(
  ctx: WriteContext,
  target: Target,
  field: Field,
  writes: readonly Write[],
  records: Map<unknown, Loaded>,
): Promise<Pair> {
  const there = await findObject(ctx, defined(field.relationship).entity, 'write')
  const back = defined(there.object.fields.get(field.relationship?.field ?? '')).key
  const given = writes.filter(({ values }) => values.has(field))
  await load(
    ctx,
    there,
    given.flatMap(({ row, data }) => [row.data[field.key], data[field.key]]),
    records,
  )
  await requireEditable(
    ctx,
    there.principal,
    given.filter((write) => moves(field, write)).flatMap(({ data }) => records.get(data[field.key])?.row ?? []),
  )
  await load(
    ctx,
    target,
    given.map(({ data }) => records.get(data[field.key])?.data[back]),
    records,
  )
  return { field, key: field.key, back }
}

async function load(
  ctx: WriteContext,
  target: Target,
  ids: readonly unknown[],
  records: Map<unknown, Loaded>,
): Promise<void> {
  const unknown = [...new Set(ids)].filter((id): id is string => typeof id === 'string' && !records.has(id))
  if (unknown.length === 0) return
  for (const row of await lockRecords(ctx.tx, ctx.workspace.workspaceId, target.object.key, unknown, 'change'))
    records.set(row.id, { target, row, data: { ...row.data } })
}

/** The counterparts' own field changes too, so the caller must be allowed to change them. */
async function requireEditable(ctx: WriteContext, principal: Principal, rows: readonly RecordRow[]): Promise<void> {
  const levelOf = await levelsOn(ctx.tx, ctx.workspace.workspaceId, principal, rows, 'edit')
  if (rows.every((row) => atLeast(levelOf(row), 'edit'))) return
  throw ctx.fail('forbidden', {
    detail: 'You may not change the record at the other end, which this change of a one-to-one relationship would do.',
  })
}

/**
 * The stored names of two one-to-one fields that are inverse to each other: of the record's own end, and of the way
 * back.
 */
export type PairKeys = { readonly key: string; readonly back: string }

export type Draft = Record<string, unknown>

/**
 * Gives a record another counterpart, or none, in documents that are consistent at both ends, and keeps them
 * consistent: previous counterparts of either record are left without one. All records that the documents name are
 * among them; a record may be its own counterpart. Pure.
 */
export function assign(drafts: ReadonlyMap<unknown, Draft>, { key, back }: PairKeys, id: string, to: unknown): void {
  const own = defined(drafts.get(id))
  if (own[key] === to) return
  release(drafts.get(own[key]), back, id)
  delete own[key]
  if (to === undefined) return
  const other = defined(drafts.get(to))
  release(drafts.get(other[back]), key, to)
  other[back] = id
  own[key] = to
}

function release(draft: Draft | undefined, key: string, from: unknown): void {
  if (draft !== undefined && draft[key] === from) delete draft[key]
}
