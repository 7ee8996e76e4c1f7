import { includedMax, includedOfOneMax, type RecordResource } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isToMany, linkOf, type ObjectModel } from '../object.ts'
import { presentRecord } from '../present.ts'
import type { ShownFields } from '../query/sparse.ts'
import type { RecordRow } from '../store.ts'
import type { Inclusion } from './resolve.ts'
import { listRelated, listVisible, type RelatedRow } from './store.ts'

type Related = RecordResource['relationships'][string]

/** A record to which what it is linked to is added, and how often it stands in the answer. */
type Holder = { readonly row: RecordRow; readonly resource: RecordResource; times: number }

type Level = { readonly object: ObjectModel; readonly holders: readonly Holder[]; readonly depth: number }

/** Gathers what an answer includes: each record once, and none that the answer is about. */
class Gathered {
  readonly #found = new Map<string, RecordResource>()
  readonly #primary: ReadonlySet<string>
  #embedded = 0

  constructor(primary: readonly RecordResource[]) {
    this.#primary = new Set(primary.map(keyOf))
  }

  add(resource: RecordResource): void {
    if (!this.#primary.has(keyOf(resource)) && !this.#found.has(keyOf(resource))) this.#found.set(keyOf(resource), { ...resource, relationships: { ...resource.relationships } })
  }

  /** Counts records that are put below others, one as often as it is put there; false when they become too many. */
  embed(times: number): boolean {
    this.#embedded += times
    return this.#embedded <= includedMax
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
  const gathered = new Gathered(data)
  const holders = rows.map((row, index) => ({ row, resource: data[index] as RecordResource, times: 1 }))
  await includeLevel({ ctx, shown, gathered }, { object, holders, depth: 0 }, inclusions)
  return gathered.list()
}

type Work = { readonly ctx: WorkspaceReadContext; readonly shown: ShownFields; readonly gathered: Gathered }

async function includeLevel(work: Work, level: Level, inclusions: readonly Inclusion[]): Promise<void> {
  if (level.holders.length === 0) return
  await Promise.all(
    inclusions.map(async (inclusion) => {
      const holders = isToMany(inclusion.field) ? await includeMany(work, level, inclusion) : await includeOne(work, level, inclusion)
      await includeLevel(work, { object: inclusion.target, holders, depth: level.depth + 1 }, inclusion.children)
    }),
  )
}

async function includeOne(work: Work, { holders, depth }: Level, { field, target, asker }: Inclusion): Promise<Holder[]> {
  const { ctx } = work
  const ids = [...new Set(holders.map(({ row }) => row.data[field.key]).filter((id) => typeof id === 'string'))]
  const rows = ids.length === 0 ? [] : await listVisible(ctx.tx, { workspaceId: ctx.workspace.workspaceId, entity: target.name, asker }, ids)
  const found = held(work, target, rows)
  for (const { row, resource, times } of holders) {
    const related = found.get(row.data[field.key] as string)
    if (related === undefined) continue
    // One more for each record of the page is no more than the page has asked for.
    if (depth > 0) embed(work, times)
    related.times += times
    resource.relationships[field.name] = { data: related.resource }
  }
  return [...found.values()]
}

async function includeMany(work: Work, { object, holders }: Level, { field, target, asker }: Inclusion): Promise<Holder[]> {
  const { ctx } = work
  const set = { workspaceId: ctx.workspace.workspaceId, place: linkOf(object, field), entity: target.name, asker }
  const rows = await listRelated(ctx.tx, set, [...new Set(holders.map(({ row }) => row.id))], { ofOne: includedOfOneMax, inAll: includedMax })
  if (rows.length > includedMax) throw tooMany(ctx)
  const found = held(work, target, rows)
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id)
  for (const { row, resource, times } of holders) {
    const related = byParent.get(row.id) ?? []
    embed(work, times * related.length)
    for (const { id } of related) (found.get(id) as Holder).times += times
    resource.relationships[field.name] = presentMany(ctx, object, field.name, row.id, related, found)
  }
  return [...found.values()]
}

function embed({ ctx, gathered }: Work, times: number): void {
  if (!gathered.embed(times)) throw tooMany(ctx)
}

const tooMany = (ctx: WorkspaceReadContext) =>
  ctx.fail('invalid_parameter', { detail: `More than ${includedMax} records would be included: ask for shorter pages or fewer relationships.`, source: { parameter: 'include' } })

function presentMany(ctx: WorkspaceReadContext, object: ObjectModel, name: string, id: string, rows: readonly RelatedRow[], found: ReadonlyMap<string, Holder>): Related {
  const count = rows[0]?.linked ?? 0
  const data = rows.map((row) => (found.get(row.id) as Holder).resource)
  if (count <= rows.length) return { data, meta: { count } }
  const next = `${ctx.baseUrl}/workspaces/${ctx.workspace.slug}/objects/${object.name}/records/${id}/relationships/${name}`
  return { data, meta: { count, truncated: true }, links: { next } }
}

/** Each related record presented once for a relationship, whoever is linked to it. */
function held({ shown, gathered }: Work, target: ObjectModel, rows: readonly RecordRow[]): Map<string, Holder> {
  const found = new Map<string, Holder>()
  for (const row of rows) {
    if (found.has(row.id)) continue
    const resource = presentRecord(target, row, shown.get(target.name))
    gathered.add(resource)
    found.set(row.id, { row, resource, times: 0 })
  }
  return found
}
