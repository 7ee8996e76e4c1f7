import type { Row } from '../../../db/tx.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { askerOf } from '../../access/index.ts'
import { uniqueValues } from '../index-values.ts'
import type { Indexable } from '../indexes/rows.ts'
import { indexName, type ObjectModel } from '../object.ts'
import { listUniqueKeys, listReferable, type UniqueKey } from '../store.ts'

/** A record that leaves something in the tables beside its own: index rows, claims of unique values, links. */
export type Traced = Indexable & { readonly path: readonly (string | number)[] }

export const uniqueRows = (workspaceId: string, object: ObjectModel, { id, data }: Traced): Row[] =>
  object.uniques.flatMap((field) => uniqueValues(field, data).map((value) => ({ workspace_id: workspaceId, field: indexName(object, field), key_value: value, record_id: id })))

export const linkRows = (workspaceId: string, object: ObjectModel, { id, data }: Traced): Row[] =>
  object.references.flatMap((field) => {
    const to = data[field.key]
    return to === undefined ? [] : [{ workspace_id: workspaceId, relationship: indexName(object, field), from_id: id, to_id: to }]
  })

/** Claims unique values for records; 409 `unique_violation` for the first that another record holds. */
export async function claimUniques(ctx: WriteContext<'unique_violation'>, object: ObjectModel, claims: readonly Row[], records: readonly Traced[]): Promise<void> {
  // In one order for everybody, so that two writers of the same values do not deadlock.
  const rows = claims.toSorted((a, b) => (`${String(a['field'])} ${String(a['key_value'])}` < `${String(b['field'])} ${String(b['key_value'])}` ? -1 : 1))
  const claimed = await ctx.tx.insertNew<UniqueKey>('unique_key', rows, ['field', 'key_value', 'record_id'])
  if (claimed.length === rows.length) return
  const held = new Set(claimed.map(claimOf))
  const lost = rows.find((row) => !held.has(claimOf(row as UniqueKey))) as UniqueKey
  throw await uniqueViolation(ctx, object, records, lost)
}

const claimOf = ({ field, key_value, record_id }: UniqueKey): string => `${field}\0${key_value}\0${record_id}`

async function uniqueViolation(ctx: WriteContext<'unique_violation'>, object: ObjectModel, records: readonly Traced[], { field, key_value, record_id }: UniqueKey) {
  const name = object.uniques.find((unique) => indexName(object, unique) === field)?.name ?? field
  const path = records.find(({ id }) => id === record_id)?.path ?? []
  const [holder] = await listUniqueKeys(ctx.tx, ctx.workspace.workspaceId, field, [key_value])
  const twice = holder !== undefined && records.some(({ id }) => id === holder.record_id)
  const asker = askerOf(ctx.actor, ctx.workspace, object.schema.xSvcAccess.default)
  const visible = holder !== undefined && !twice ? await listReferable(ctx.tx, ctx.workspace.workspaceId, object.name, [holder.record_id], asker) : new Set<string>()
  return ctx.fail('unique_violation', {
    detail: twice ? `Two records of this request have the same ${name}.` : `Another ${object.name} has this ${name} already.`,
    source: { pointer: `/${[...path, name].join('/')}` },
    meta: { field: name, value: key_value, ...(visible.size > 0 && { existing_id: holder?.record_id }) },
  })
}
