import { includedMax, includedOfOneMax, type RecordResource } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isToMany, linkOf, type ObjectModel } from '../object.ts'
import { presentRecords, type ShownRow } from '../present.ts'
import type { ShownFields } from '../query/sparse.ts'
import { guardsOf } from '../seen/references.ts'
import type { RecordData, RecordRow } from '../store.ts'
import { KnownRecord, presentKnown, read, type UnreadRow } from './known.ts'
import type { Inclusion } from './resolve.ts'
import { listRelated, listVisible, type RelatedRow } from './store.ts'

type Related = RecordResource['relationships'][string]

/** A record to which what it is linked to is added, and how often it stands in the answer. Nothing is added to one without data. */
type Holder = { readonly id: string; readonly data: RecordData | undefined; readonly resource: RecordResource; times: number }

type Level = { readonly object: ObjectModel; readonly holders: readonly Holder[]; readonly depth: number }

const keyOf = ({ type, id }: { readonly type: string; readonly id: string }): string => `${type}:${id}`

/**
 * What an answer includes (spec §4): a record that is linked to one of the answer's stands below it, under `relationships`,
 * with what it is linked to in turn, and once more in a list. One query for each relationship of the tree.
 */
export class Included {
  readonly ctx: WorkspaceReadContext
  readonly shown: ShownFields
  readonly #found = new Map<string, RecordResource>()
  readonly #primary = new Set<string>()
  #embedded = 0

  constructor(ctx: WorkspaceReadContext, shown: ShownFields) {
    this.ctx = ctx
    this.shown = shown
  }

  /** Adds what some records of the answer are linked to, to their resources. */
  async add(object: ObjectModel, rows: readonly RecordRow[], data: readonly RecordResource[], inclusions: readonly Inclusion[]): Promise<void> {
    if (inclusions.length === 0) return
    for (const resource of data) this.#primary.add(keyOf(resource))
    const holders = rows.map((row, index) => ({ id: row.id, data: row.data, resource: data[index] as RecordResource, times: 1 }))
    await includeLevel(this, { object, holders, depth: 0 }, inclusions)
  }

  /** A related record as it stands in the list: with the identifiers of what it is linked to. */
  note(resource: RecordResource): void {
    const key = keyOf(resource)
    if (!this.#found.has(key)) this.#found.set(key, resource instanceof KnownRecord ? resource : { ...resource, relationships: { ...resource.relationships } })
  }

  /** Counts records that are put below others, one as often as it is put there. */
  embed(times: number): void {
    this.#embedded += times
    if (this.#embedded > includedMax) throw this.tooMany()
  }

  tooMany() {
    return this.ctx.fail('invalid_parameter', { detail: `More than ${includedMax} records would be included: ask for shorter pages or fewer relationships.`, source: { parameter: 'include' } })
  }

  /** Each once, but those that the answer is about. */
  list(): RecordResource[] {
    return [...this.#found].filter(([key]) => !this.#primary.has(key)).map(([, resource]) => resource)
  }
}

async function includeLevel(answer: Included, level: Level, inclusions: readonly Inclusion[]): Promise<void> {
  if (level.holders.length === 0) return
  await Promise.all(
    inclusions.map(async (inclusion) => {
      const holders = isToMany(inclusion.field) ? await includeMany(answer, level, inclusion) : await includeOne(answer, level, inclusion)
      await includeLevel(answer, { object: inclusion.target, holders, depth: level.depth + 1 }, inclusion.children)
    }),
  )
}

async function includeOne(answer: Included, { holders, depth }: Level, inclusion: Inclusion): Promise<Holder[]> {
  const { ctx } = answer
  const { field, target, asker } = inclusion
  const ids = [...new Set(holders.map(({ data }) => data?.[field.key]).filter((id) => typeof id === 'string'))]
  const rows = ids.length === 0 ? [] : await listVisible(ctx.tx, { workspaceId: ctx.workspace.workspaceId, entity: target.key, asker }, ids)
  const found = await held(answer, inclusion, rows)
  for (const { data, resource, times } of holders) {
    const related = found.get(data?.[field.key] as string)
    if (related === undefined) continue
    // One more for each record of the page is no more than the page has asked for.
    if (depth > 0) answer.embed(times)
    related.times += times
    resource.relationships[field.name] = { data: related.resource }
  }
  return [...found.values()]
}

async function includeMany(answer: Included, { object, holders }: Level, inclusion: Inclusion): Promise<Holder[]> {
  const { ctx } = answer
  const { field, target, asker } = inclusion
  const set = { workspaceId: ctx.workspace.workspaceId, place: linkOf(object, field), entity: target.key, asker }
  const rows = await listRelated(ctx.tx, set, [...new Set(holders.map(({ id }) => id))], { ofOne: includedOfOneMax, inAll: includedMax })
  if (rows.length > includedMax) throw answer.tooMany()
  const found = await held(answer, inclusion, rows)
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id)
  for (const { id, resource, times } of holders) {
    const related = byParent.get(id) ?? []
    answer.embed(times * related.length)
    for (const one of related) (found.get(one.id) as Holder).times += times
    resource.relationships[field.name] = presentMany(ctx, object, field.name, id, related, found)
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
async function held(answer: Included, inclusion: Inclusion, rows: readonly UnreadRow[]): Promise<Map<string, Holder>> {
  const each = [...new Map(rows.map((row) => [row.id, row])).values()]
  const holders = (await looksAlike(answer, inclusion))
    ? each.map((row) => ({ id: row.id, data: undefined, resource: presentKnown(inclusion.target, row), times: 0 }))
    : await presentHolders(answer, inclusion.target, each.map(read))
  for (const { resource } of holders) answer.note(resource)
  return new Map(holders.map((holder) => [holder.id, holder]))
}

/** Whether what is included looks as it does in other answers: whole, with nothing below it, and nothing kept from the caller. */
const looksAlike = async ({ ctx, shown }: Included, { target, children }: Inclusion): Promise<boolean> =>
  children.length === 0 && !shown.has(target.name) && (await guardsOf(ctx, target)).length === 0

async function presentHolders({ ctx, shown }: Included, target: ObjectModel, rows: readonly ShownRow[]): Promise<Holder[]> {
  const resources = await presentRecords(ctx, target, rows, shown.get(target.name))
  return rows.map(({ id, data }, index) => ({ id, data, resource: resources[index] as RecordResource, times: 0 }))
}
