import type { RowOf } from '../../../db/columns.ts'
import type { Field } from '../../fields/index.ts'
import { uniqueValues, type Indexable } from '../../indexes/index.ts'
import { linkEndOf, uniqueName, type ObjectModel } from '../../objects/index.ts'
import { SerialisationFailure } from '../../../db/errors.ts'
import { Failure, type Fault } from '../../../kernel/errors.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { inClaimOrder } from '../../../lib/claim-order.ts'
import { pointer } from '../../../lib/pointers.ts'
import { principalOf } from '../../access/index.ts'
import { listReferable, listUniqueKeys, type UniqueKey } from '../store.ts'

/** A record with side rows: its index rows, unique keys and links. */
export type SideRows = Indexable & {
  /** Location of its attributes in the body; if the body has only its id, the location of the id. */
  readonly path: readonly (string | number)[]
  readonly idAlone?: true
}

/** Unique fields, including those of a pending schema change. */
const uniquesOf = (object: ObjectModel): readonly Field[] =>
  object.evolution === undefined ? object.uniques : [...object.uniques, ...object.evolution.claimed]

export const uniqueRows = (workspaceId: string, object: ObjectModel, { id, data }: SideRows): RowOf<'unique_key'>[] =>
  uniquesOf(object).flatMap((field) =>
    uniqueValues(field, data).map((value) => ({
      workspace_id: workspaceId,
      field: uniqueName(object, field),
      key_value: value,
      record_id: id,
    })),
  )

export const linkRows = (
  workspaceId: string,
  object: ObjectModel,
  { id, data }: SideRows,
): Omit<RowOf<'link'>, 'hidden_by'>[] =>
  object.references.flatMap((field) => {
    const to = data[field.key]
    return typeof to !== 'string'
      ? []
      : [{ workspace_id: workspaceId, relationship: linkEndOf(object, field).relationship, from_id: id, to_id: to }]
  })

type ClaimContext = WriteContext<'unique_violation'>

/** A refusal because of unique values that other records hold: it is right for as long as they do. */
export class HeldValues extends Failure {
  readonly keys: readonly UniqueKey[]
  constructor(faults: readonly Fault[], keys: readonly UniqueKey[]) {
    super(faults)
    this.keys = keys
  }
}

/** Keeps values for which something was refused from being released; runs the call again if one has been already. */
export async function holdValues({ tx, workspace }: WriteContext, { keys }: HeldValues): Promise<void> {
  for (const [field, some] of Map.groupBy(await inClaimOrder(keys), (key) => key.field)) {
    const values = [...new Set(some.map(({ key_value }) => key_value))]
    const rows = await listUniqueKeys(tx, workspace.workspaceId, field, values, { hold: true })
    const held = new Set(rows.map(claimOf))
    if (!some.every((key) => held.has(claimOf(key))))
      throw new SerialisationFailure('A unique value has another holder by now')
  }
}

/** Claims unique values for records; 409 `unique_violation` names every record of the body that cannot have its own. */
export async function claimUniques(
  ctx: ClaimContext,
  object: ObjectModel,
  claims: readonly RowOf<'unique_key'>[],
  records: readonly SideRows[],
): Promise<void> {
  const rows = await inClaimOrder(claims)
  if (ctx.isHopeful) return ctx.tx.insert('unique_key', rows)
  const claimed = await ctx.tx.insertNew('unique_key', rows, ['field', 'key_value', 'record_id'])
  if (claimed.length === rows.length) return
  const held = new Set(claimed.map(claimOf))
  const lost = rows.filter((row) => !held.has(claimOf(row)))
  throw await uniqueViolation(ctx, object, records, rows, lost)
}

const claimOf = ({ field, key_value, record_id }: UniqueKey): string => `${field}\0${key_value}\0${record_id}`

const valueOf = ({ field, key_value }: UniqueKey): string => `${field}\0${key_value}`

/** A value that a record cannot claim, and its holder: another record, or (null) an earlier one of the same body. */
type Conflict = { readonly record: SideRows; readonly claim: UniqueKey; readonly holder: string | null }

async function uniqueViolation(
  ctx: ClaimContext,
  object: ObjectModel,
  records: readonly SideRows[],
  claims: readonly UniqueKey[],
  lost: readonly UniqueKey[],
): Promise<Failure> {
  const holders = await listHolders(ctx, lost)
  const found = conflicts(records, claims, lost, holders)
  // The holder released the value during the wait.
  if (found.length === 0) throw new SerialisationFailure('A unique value is free again')
  const principal = principalOf(ctx, object.schema, 'name')
  const visible = await listReferable(
    ctx.tx,
    ctx.workspace.workspaceId,
    object.key,
    [...new Set(found.flatMap(({ holder }) => holder ?? []))],
    principal,
  )
  return new HeldValues(
    found.map((conflict) => faultOf(object, conflict, visible)),
    found.flatMap(({ claim: { field, key_value }, holder }) =>
      holder === null ? [] : [{ field, key_value, record_id: holder }],
    ),
  )
}

/** The holders of values, by value. */
async function listHolders({ tx, workspace }: ClaimContext, lost: readonly UniqueKey[]): Promise<Map<string, string>> {
  const byField = Map.groupBy(lost, ({ field }) => field)
  const keys = await Promise.all(
    [...byField].map(([field, some]) =>
      listUniqueKeys(tx, workspace.workspaceId, field, [...new Set(some.map(({ key_value }) => key_value))]),
    ),
  )
  return new Map(keys.flat().map((key) => [valueOf(key), key.record_id]))
}

/**
 * The conflicts, as if the records were written one after another: a value claimed by an earlier record is taken,
 * unless that record is refused itself. Only the first conflict of each record and field counts.
 */
function conflicts(
  records: readonly SideRows[],
  claims: readonly UniqueKey[],
  lost: readonly UniqueKey[],
  holders: ReadonlyMap<string, string>,
): Conflict[] {
  const made = new Set(claims.map(claimOf))
  const byRecord = Map.groupBy(claims, ({ record_id }) => record_id)
  const taken = new Map<string, string | null>()
  for (const claim of lost) {
    const holder = holders.get(valueOf(claim))
    if (holder !== undefined && !made.has(claimOf({ ...claim, record_id: holder }))) taken.set(valueOf(claim), holder)
  }
  return records.flatMap((record): Conflict[] => {
    const own = byRecord.get(record.id) ?? []
    const refused = new Map<string, Conflict>()
    for (const claim of own) {
      const holder = taken.get(valueOf(claim))
      if (holder !== undefined && !refused.has(claim.field)) refused.set(claim.field, { record, claim, holder })
    }
    if (refused.size === 0) for (const claim of own) taken.set(valueOf(claim), null)
    return [...refused.values()]
  })
}

const liftHint = ' If values of this field may repeat, an admin can set its `xSvcUnique` to false in the schema.'

function faultOf(
  object: ObjectModel,
  { record, claim: { field, key_value }, holder }: Conflict,
  visible: ReadonlySet<string>,
): Fault {
  const unique = uniquesOf(object).find((one) => uniqueName(object, one) === field)
  const name = unique?.name ?? field
  const fault =
    holder === null
      ? `Two records of this request have the same ${name}.`
      : `Another ${object.name} already has this ${name}.`
  return {
    code: 'unique_violation',
    detail: unique?.relationship === undefined ? fault + liftHint : fault,
    source: { pointer: pointer(record.idAlone === true ? record.path : [...record.path, name]) },
    meta: { field: name, value: key_value, ...(holder !== null && visible.has(holder) && { existing_id: holder }) },
  }
}
