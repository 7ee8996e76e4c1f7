import { defined } from '../../../lib/guards.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { atLeast, levelsOn, type Principal } from '../../access/index.ts'
import type { Field, RecordData } from '../../fields/index.ts'
import { findObject, type ObjectAccess, lockRecords, type RecordRow } from '../../objects/index.ts'
import { assign, type Draft, type PairKeys } from './assign.ts'
import { oneToOneFields } from './lock.ts'

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
