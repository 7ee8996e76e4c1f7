import { includedMax, includedOfOneMax, type RecordResource } from '@kontor/contract'
import { defined } from '../../../lib/guards.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { isToMany, linkEndOf, type ObjectModel, type RecordRow } from '../../objects/index.ts'
import { presentRecords, type ShownRow } from '../present.ts'
import type { ShownFields, Inclusion } from './resolve.ts'
import type { RecordData } from '../../fields/index.ts'
import { listRelated, listVisible, type RelatedRow } from './store.ts'

type Related = RecordResource['relationships'][string]

/** A record to which its related records are added, and how often it appears in the answer. */
type RecordNode = {
  readonly id: string
  readonly data: RecordData
  readonly resource: RecordResource
  occurrences: number
}

type Level = { readonly object: ObjectModel; readonly nodes: readonly RecordNode[]; readonly depth: number }

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
    const nodes = rows.map((row, index) => ({
      id: row.id,
      data: row.data,
      resource: defined(data[index]),
      occurrences: 1,
    }))
    await includeLevel(this, { object, nodes, depth: 0 }, inclusions)
  }

  /** Adds a related record to the list, with the identifiers of its own related records. */
  addToList(resource: RecordResource): void {
    if (!this.#found.has(resource.id))
      this.#found.set(resource.id, { ...resource, relationships: { ...resource.relationships } })
  }

  /** Counts records that appear below others, each as often as it appears. */
  countEmbedded(count: number): void {
    this.#embedded += count
    if (this.#embedded > includedMax) throw this.tooMany()
  }

  tooMany() {
    return this.ctx.fail('invalid_parameter', {
      detail: `More than ${includedMax} records would be included: request smaller pages or fewer relationships.`,
      source: { parameter: 'include' },
    })
  }

  /** The list: each record once, except the primary records of the answer. */
  list(): RecordResource[] {
    return [...this.#found.values()].filter(({ id }) => !this.#primary.has(id))
  }
}

async function includeLevel(answer: Included, level: Level, inclusions: readonly Inclusion[]): Promise<void> {
  if (level.nodes.length === 0) return
  const ones = Map.groupBy(
    inclusions.filter(({ field }) => !isToMany(field)),
    ({ target }) => target,
  )
  const descend = (inclusion: Inclusion, nodes: readonly RecordNode[]) =>
    includeLevel(answer, { object: inclusion.target, nodes, depth: level.depth + 1 }, inclusion.children)
  await Promise.all([
    ...[...ones.values()].map(async (together) => {
      const found = await includeToOne(answer, level, together)
      await Promise.all(together.map((inclusion, index) => descend(inclusion, defined(found[index]))))
    }),
    ...inclusions
      .filter(({ field }) => isToMany(field))
      .map(async (inclusion) => descend(inclusion, await includeToMany(answer, level, inclusion))),
  ])
}

/** Includes references to one object, read together: tasks, for example, have an assignee and an author. */
async function includeToOne(
  answer: Included,
  { nodes, depth }: Level,
  inclusions: readonly Inclusion[],
): Promise<RecordNode[][]> {
  const idsOf = ({ field }: Inclusion) => [
    ...new Set(nodes.map(({ data }) => data[field.key]).filter((id) => typeof id === 'string')),
  ]
  const nodesOf = await readToOne(
    answer,
    inclusions.map((inclusion) => ({ inclusion, ids: idsOf(inclusion) })),
  )
  return inclusions.map(({ field }, index) => {
    const found = listed(answer, defined(nodesOf[index]))
    for (const { data, resource, occurrences } of nodes) {
      const related = found.get(data[field.key])
      if (related === undefined) continue
      // One more for each record of the page is no more than the page itself asks for.
      if (depth > 0) answer.countEmbedded(occurrences)
      related.occurrences += occurrences
      resource.relationships[field.name] = { data: related.resource }
    }
    return [...found.values()]
  })
}

async function includeToMany(answer: Included, { object, nodes }: Level, inclusion: Inclusion): Promise<RecordNode[]> {
  const { ctx } = answer
  const { field, target, principal } = inclusion
  const set = {
    workspaceId: ctx.workspace.workspaceId,
    linkEnd: linkEndOf(object, field),
    object: target.key,
    principal,
  }
  const rows = await listRelated(ctx.tx, set, [...new Set(nodes.map(({ id }) => id))], {
    ofOne: includedOfOneMax,
    inAll: includedMax,
  })
  if (rows.length > includedMax) throw answer.tooMany()
  const each = [...new Map(rows.map((row) => [row.id, row])).values()]
  const found = listed(answer, await presentNodes(answer, target, each))
  const byParent = Map.groupBy(rows, ({ parent_id }) => parent_id)
  for (const { id, resource, occurrences } of nodes) {
    const related = byParent.get(id) ?? []
    answer.countEmbedded(occurrences * related.length)
    for (const one of related) defined(found.get(one.id)).occurrences += occurrences
    resource.relationships[field.name] = presentToMany(ctx, object, field.name, id, related, found)
  }
  return [...found.values()]
}

function presentToMany(
  ctx: WorkspaceReadContext,
  object: ObjectModel,
  name: string,
  id: string,
  rows: readonly RelatedRow[],
  found: ReadonlyMap<unknown, RecordNode>,
): Related {
  const count = rows[0]?.linked ?? 0
  const data = rows.map((row) => defined(found.get(row.id)).resource)
  if (count <= rows.length) return { data, meta: { count } }
  const record = `${ctx.baseUrl}/workspaces/${ctx.workspace.slug}/objects/${object.name}/records/${id}`
  return { data, meta: { count, truncated: true }, links: { next: `${record}/relationships/${name}` } }
}

/** Records of one object that several relationships lead to, with the ids of each. */
type ToOneRead = { readonly inclusion: Inclusion; readonly ids: readonly string[] }

/** Reads the records that the caller may see in the order of the ids: once, and presented for each relationship. */
async function readToOne(answer: Included, asked: readonly ToOneRead[]): Promise<RecordNode[][]> {
  const { ctx } = answer
  const { target, principal } = defined(asked[0]).inclusion
  const wanted = [...new Set(asked.flatMap(({ ids }) => ids))]
  if (wanted.length === 0) return asked.map(() => [])
  const rows = await listVisible(
    ctx.tx,
    { workspaceId: ctx.workspace.workspaceId, object: target.key, principal },
    wanted,
  )
  const byId = new Map(rows.map((row) => [row.id, row]))
  return Promise.all(
    asked.map(({ ids }) =>
      presentNodes(
        answer,
        target,
        ids.flatMap((id) => byId.get(id) ?? []),
      ),
    ),
  )
}

/** The records that appear below others, by id; each appears in the list too. */
function listed(answer: Included, nodes: readonly RecordNode[]): ReadonlyMap<unknown, RecordNode> {
  for (const { resource } of nodes) answer.addToList(resource)
  return new Map(nodes.map((node) => [node.id, node]))
}

async function presentNodes(
  { ctx, shown }: Included,
  target: ObjectModel,
  rows: readonly ShownRow[],
): Promise<RecordNode[]> {
  const resources = await presentRecords(ctx, target, rows, shown.get(target.name))
  return rows.map(({ id, data }, index) => ({ id, data, resource: defined(resources[index]), occurrences: 0 }))
}
