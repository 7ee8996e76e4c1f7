import { defined } from '../../../lib/guards.ts'
import { pointer } from '../../../lib/pointers.ts'
import { Failure } from '../../../kernel/errors.ts'
import { principalOf } from '../../access/index.ts'
import type { Field } from '../../fields/index.ts'
import { uniqueValues } from '../../indexes/index.ts'
import { workspaceSchemas, type SchemaContext, type StoredSchema } from '../../schemas/index.ts'
import { effectsOf, type Effects } from '../change/effects.ts'
import { planReplacement, type ReplaceRequest } from '../change/replacement.ts'
import { listValuesAfter, type RecordPlace } from './store.ts'

/** Records that are looked at before a change is accepted; its task looks at all of them. */
const examinedMax = 50_000
const batch = 1000

/** Values that several records have, of which a response names so many, with so many of their records. */
const valuesMax = 100
const recordsMax = 10

/** Throws 409 with the duplicates where a field becomes unique whose values several records share. */
export async function requireDistinct(
  ctx: SchemaContext,
  before: StoredSchema,
  request: ReplaceRequest,
): Promise<void> {
  const effects = planned(before, request, await workspaceSchemas(ctx))
  if (effects === undefined || effects.evolution.claimed.length === 0) return
  const { claimed } = effects.evolution
  const holders = new Map<Field, Map<string, string[]>>(claimed.map((field) => [field, new Map()]))
  const principal = principalOf(ctx, effects.after.schema, 'read')
  const all = { workspaceId: ctx.workspace.workspaceId, object: effects.after.key, principal }
  const keys = claimed.map(({ key }) => key)
  let last: RecordPlace | undefined
  for (let examined = 0; examined < examinedMax;) {
    const rows = await listValuesAfter(ctx.tx, all, keys, last, batch)
    for (const { id, data } of rows)
      for (const field of claimed) note(defined(holders.get(field)), uniqueValues(field, data), id)
    examined += rows.length
    last = rows.at(-1)
    if (rows.length < batch) break
  }
  const faults = claimed.flatMap((field) => faultOf(field, defined(holders.get(field)), request.path) ?? [])
  if (faults.length > 0) throw new Failure(faults)
}

/** The effects on the object itself; undefined where the change is refused for another reason, which comes later. */
function planned(
  before: StoredSchema,
  request: ReplaceRequest,
  schemas: Parameters<typeof planReplacement>[0],
): Effects | undefined {
  try {
    return planReplacement(schemas, before, request)
      .map(effectsOf)
      .find(({ target }) => target.name === before.title)
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

function note(holders: Map<string, string[]>, values: readonly string[], id: string): void {
  for (const value of new Set(values)) {
    const ids = holders.get(value)
    if (ids === undefined) holders.set(value, [id])
    else ids.push(id)
  }
}

function faultOf({ name }: Field, holders: ReadonlyMap<string, readonly string[]>, path: ReplaceRequest['path']) {
  const shared = [...holders].filter(([, ids]) => ids.length > 1)
  if (shared.length === 0) return undefined
  return {
    code: 'unique_violation' as const,
    detail:
      `\`${name}\` cannot become unique: several records have the same value. ` +
      'Change or merge the records in `meta.duplicates`, then try again.',
    source: { pointer: pointer([...path, 'properties', name, 'xSvcUnique']) },
    meta: {
      field: name,
      duplicates: shared
        .slice(0, valuesMax)
        .map(([value, ids]) => ({ value, count: ids.length, record_ids: ids.slice(0, recordsMax) })),
    },
  }
}
