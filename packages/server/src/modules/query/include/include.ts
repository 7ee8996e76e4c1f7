import { includedMax, includedOfOneMax, type RecordResource } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isToMany, linkEndOf, type ObjectModel, type RecordRow } from '../../objects/index.ts'
import { presentRecords, type ShownRow } from '../present.ts'
import type { ShownFields } from '../sparse-fields.ts'
import type { RecordData } from '../../fields/index.ts'
import type { Inclusion } from './resolve.ts'
import { listRelated, listVisible, type RelatedRow } from './store.ts'

type Related = RecordResource['relationships'][string]

/** A record to which its related records are added, and how often it appears in the answer. */
type Holder = { readonly id: string; readonly data: RecordData; readonly resource: RecordResource; times: number }

type Level = { readonly object: ObjectModel; readonly holders: readonly Holder[]; readonly depth: number }

/**
 * The included records of an answer (spec §4): a related record appears below its parent, under `relationships`, with
 * its own related records in turn, and once more in a list. Each level of the tree takes one query for each object that
 * references lead to, and one for each to-many relationship.
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

  /** Adds the related records of some records of the answer to their resources. */
  async add(
    object: ObjectModel,
    rows: readonly RecordRow[],
    data: readonly RecordResource[],
    inclusions: readonly Inclusion[],
  ): Promise<void> {
    if (inclusions.length === 0) return
    for (const { id } of data) this.#primary.add(id)
    const holders = rows.map((row, index) => ({
      id: row.id,
      data: row.data,
      resource: defined(data[index]),
      times: 1,
    }))
    await includeLevel(this, { object, holders, depth: 0 }, inclusions)
  }

  /** Adds a related record to the list, with the identifiers of its own related records. */
  note(resource: RecordResource): void {
    if (!this.#found.has(resource.id))
      this.#found.set(resource.id, { ...resource, relationships: { ...resource.relationships } })
  }

  /** Counts records that appear below others, each as often as it appears. */
  embed(times: number): void {
    this.#embedded += times
    if (this.#embedded > includedMax) throw this.tooMany()
  }

  tooMany() {
    return this.ctx.fail('invalid_parameter', {
      detail: `More than ${includedMax} records would be included: ask for shorter pages or fewer relationships.`,
      source: { parameter: 'include' },
    })
  }

  /** The list: each record once, except the primary records of the answer. */
  list(): RecordResource[] {
    return [...this.#found.values()].filter(({ id }) => !this.#primary.has(id))
  }
}

async function includeLevel(answer: Included, level: Level, inclusions: readonly Inclusion[]): Promise<void> {
  if (level.holders.length === 0) return
  const ones = Map.groupBy(
    inclusions.filter(({ field }) => !isToMany(field)),
    ({ target }) => target,
  )
  const goOn = (inclusion: Inclusion, holders: readonly Holder[]) =>
    includeLevel(answer, { object: inclusion.target, holders, depth: level.depth + 1 }, inclusion.children)
  await Promise.all([
    ...[...ones.values()].map(async (together) => {
      const found = await includeOnes(answer, level, together)
      await Promise.all(together.map((inclusion, index) => goOn(inclusion, defined(found[index]))))
    }),
    ...inclusions
      .filter(({ field }) => isToMany(field))
      .map(async (inclusion) => goOn(inclusion, await includeMany(answer, level, inclusion))),
  ])
}

/** Includes references to one object, read together: tasks, for example, have an assignee and an author. */
async function includeOnes(
  answer: Included,
  { holders, depth }: Level,
  inclusions: readonly Inclusion[],
): Promise<Holder[][]> {
  const idsOf = ({ field }: Inclusion) => [
    ...new Set(holders.map(({ data }) => data[field.key]).filter((id) => typeof id === 'string')),
  ]
  const holdersOf = await readOnes(
    answer,
    inclusions.map((inclusion) => ({ inclusion, ids: idsOf(inclusion) })),
  )
  return inclusions.map(({ field }, index) => {
    const found = noted(answer, defined(holdersOf[index]))
    for (const { data, resource, times } of holders) {
      const related = found.get(data[field.key])
      if (related === undefined) continue
      // One more for each record of the page is no more than the page itself asks for.
      if (depth > 0) answer.embed(times)
      related.times += times
      resource.relationships[field.name] = { data: related.resource }
    }
    return [...found.values()]
  })
}

async function includeMany(answer: Included, { object, holders }: Level, inclusion: Inclusion): Promise<Holder[]> {
  const { ctx } = answer
  const { field, target, principal } = inclusion
  const set = {
    workspaceId: ctx.workspace.workspaceId,
    linkEnd: linkEndOf(object, field),
    entity: target.key,
    principal,
  }
  const rows = await listRelated(ctx.tx, set, [...new Set(holders.map(({ id }) => id))], {
    ofOne: includedOfOneMax,
    inAll: includedMax,
  })
  if (rows.length > includedMax) throw answer.tooMany()
  const each = [...new Map(rows.map((row) => [row.id, row])).values()]
  const found = noted(answer, await presentHolders(answer, target, each))
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id)
  for (const { id, resource, times } of holders) {
    const related = byParent.get(id) ?? []
    answer.embed(times * related.length)
    for (const one of related) defined(found.get(one.id)).times += times
    resource.relationships[field.name] = presentMany(ctx, object, field.name, id, related, found)
  }
  return [...found.values()]
}

function presentMany(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  name: string,
  id: string,
  rows: readonly RelatedRow[],
  found: ReadonlyMap<unknown, Holder>,
): Related {
  const count = rows[0]?.linked ?? 0
  const data = rows.map((row) => defined(found.get(row.id)).resource)
  if (count <= rows.length) return { data, meta: { count } }
  const next = `${ctx.baseUrl}/workspaces/${ctx.workspace.slug}/objects/${object.name}/records/${id}/relationships/${name}`
  return { data, meta: { count, truncated: true }, links: { next } }
}

/** Records of one object that several relationships lead to, with the ids of each. */
type Asked = { readonly inclusion: Inclusion; readonly ids: readonly string[] }

/** Reads the records that the caller may see in the order of the ids: once, and presented for each relationship. */
async function readOnes(answer: Included, asked: readonly Asked[]): Promise<Holder[][]> {
  const { ctx } = answer
  const { target, principal } = defined(asked[0]).inclusion
  const wanted = [...new Set(asked.flatMap(({ ids }) => ids))]
  if (wanted.length === 0) return asked.map(() => [])
  const rows = await listVisible(
    ctx.tx,
    { workspaceId: ctx.workspace.workspaceId, entity: target.key, principal },
    wanted,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    asked.map(({ ids }) =>
      presentHolders(
        answer,
        target,
        ids.flatMap((id) => byId.get(id) ?? []),
      ),
    ),
  )
}

/** The records that appear below others, by id; each appears in the list too. */
function noted(answer: Included, holders: readonly Holder[]): ReadonlyMap<unknown, Holder> {
  for (const { resource } of holders) answer.note(resource)
  return new Map(holders.map((holder) => [holder.id, holder]))
}

async function presentHolders(
  { ctx, shown }: Included,
  target: ObjectModel,
  rows: readonly ShownRow[],
): Promise<Holder[]> {
  const resources = await presentRecords(ctx, target, rows, shown.get(target.name))
  return rows.map(({ id, data }, index) => ({ id, data, resource: defined(resources[index]), times: 0 }))
}
