import { includedMax, includedOfOneMax, type RecordResource } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isToMany, linkOf, type ObjectModel } from '../object.ts'
import { presentRecord } from '../present.ts'
import type { ShownFields } from '../query/sparse.ts'
import type { RecordRow } from '../store.ts'
import type { Inclusion } from './resolve.ts'
import { listRelated, listVisible, type RelatedRow } from './store.ts'

type Related = RecordResource['relationships'][string]

/** A record of the answer, to which what it is linked to is added. */
type Holder = { readonly row: RecordRow; readonly resource: RecordResource }

type Level = { readonly object: ObjectModel; readonly holders: readonly Holder[] }

/** Gathers what an answer includes: each record once, and none that the answer is about. */
class Inclusions {
  readonly #found = new Map<string, RecordResource>()
  readonly #primary: ReadonlySet<string>
  #records = 0

  constructor(primary: readonly RecordResource[]) {
    this.#primary = new Set(primary.map(keyOf))
  }

  add(resource: RecordResource): void {
    this.#records += 1
    if (!this.#primary.has(keyOf(resource)) && !this.#found.has(keyOf(resource))) this.#found.set(keyOf(resource), { ...resource, relationships: { ...resource.relationships } })
  }

  get size(): number {
    return this.#records
  }

  list(): RecordResource[] {
    return [...this.#found.values()]
  }
}

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type}:${id}`

/**
 * Adds what the records of an answer are linked to: itself under `relationships`, with what it is linked to in turn, and
 * once more in the list that this returns (spec §4). One query for each relationship of the tree.
 */
export async function includeRelated(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  rows: readonly RecordRow[],
  data: readonly RecordResource[],
  inclusions: readonly Inclusion[],
  shown: ShownFields,
): Promise<RecordResource[]> {
  const gathered = new Inclusions(data)
  await includeLevel(ctx, { object, holders: rows.map((row, index) => ({ row, resource: data[index] as RecordResource })) }, inclusions, shown, gathered)
  return gathered.list()
}

async function includeLevel(ctx: WorkspaceReadContext, level: Level, inclusions: readonly Inclusion[], shown: ShownFields, gathered: Inclusions): Promise<void> {
  if (level.holders.length === 0) return
  await Promise.all(
    inclusions.map(async (inclusion) => {
      const holders = isToMany(inclusion.field) ? await includeMany(ctx, level, inclusion, shown, gathered) : await includeOne(ctx, level, inclusion, shown, gathered)
      await includeLevel(ctx, { object: inclusion.target, holders }, inclusion.children, shown, gathered)
    }),
  )
}

async function includeOne(ctx: WorkspaceReadContext, { holders }: Level, { field, target, asker }: Inclusion, shown: ShownFields, gathered: Inclusions): Promise<Holder[]> {
  const ids = [...new Set(holders.map(({ row }) => row.data[field.key]).filter((id) => typeof id === 'string'))]
  const rows = ids.length === 0 ? [] : await listVisible(ctx.tx, { workspaceId: ctx.workspace.workspaceId, entity: target.name, asker }, ids)
  const found = held(ctx, target, rows, shown, gathered)
  for (const { row, resource } of holders) {
    const related = found.get(row.data[field.key] as string)
    if (related !== undefined) resource.relationships[field.name] = { data: related.resource }
  }
  return [...found.values()]
}

async function includeMany(ctx: WorkspaceReadContext, { object, holders }: Level, { field, target, asker }: Inclusion, shown: ShownFields, gathered: Inclusions): Promise<Holder[]> {
  const set = { workspaceId: ctx.workspace.workspaceId, place: linkOf(object, field), entity: target.name, asker }
  const rows = await listRelated(ctx.tx, set, [...new Set(holders.map(({ row }) => row.id))], includedOfOneMax)
  const found = held(ctx, target, rows, shown, gathered)
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id)
  for (const { row, resource } of holders) {
    const related = byParent.get(row.id) ?? []
    resource.relationships[field.name] = presentMany(ctx, object, field.name, row.id, related, found)
  }
  return [...found.values()]
}

function presentMany(ctx: WorkspaceReadContext, object: ObjectModel, name: string, id: string, rows: readonly RelatedRow[], found: ReadonlyMap<string, Holder>): Related {
  const count = rows[0]?.linked ?? 0
  const data = rows.map((row) => (found.get(row.id) as Holder).resource)
  if (count <= rows.length) return { data, meta: { count } }
  const next = `${ctx.baseUrl}/workspaces/${ctx.workspace.slug}/objects/${object.name}/records/${id}/relationships/${name}`
  return { data, meta: { count, truncated: true }, links: { next } }
}

/** Each related record presented once for a relationship, whoever is linked to it. */
function held(ctx: WorkspaceReadContext, target: ObjectModel, rows: readonly RecordRow[], shown: ShownFields, gathered: Inclusions): Map<string, Holder> {
  const found = new Map<string, Holder>()
  for (const row of rows) {
    if (found.has(row.id)) continue
    const resource = presentRecord(target, row, shown.get(target.name))
    gathered.add(resource)
    found.set(row.id, { row, resource })
  }
  if (gathered.size > includedMax) {
    throw ctx.fail('invalid_parameter', { detail: `More than ${includedMax} records would be included: ask for shorter pages or fewer relationships.`, source: { parameter: 'include' } })
  }
  return found
}
