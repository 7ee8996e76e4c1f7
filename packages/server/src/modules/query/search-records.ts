import { searchCountedMax, type Output, type RecordResource, type search, suggestion } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { principalOf, mayUse } from '../access/index.ts'
import { type FieldIndexes, readingsOf } from '../indexes/index.ts'
import { listObjects, type ObjectModel } from '../objects/index.ts'
import { presentRecords } from './present.ts'
import { byRelevance, findHits, listRows } from './search-hits.ts'

type SearchContext = WorkspaceReadContext<'unknown_value'>

type SearchInput = { readonly query: string; readonly entities?: readonly string[] | undefined; readonly limit: number }

/**
 * Searches records of several objects for those in which all words occur, the best first. If no objects are named, it
 * searches all that the credential may read.
 */
export async function searchRecords(
  ctx: SearchContext,
  indexes: FieldIndexes,
  { query, entities, limit }: SearchInput,
): Promise<Output<typeof search.query>> {
  const { workspaceId } = ctx.workspace
  const all = await listObjects(ctx)
  const objects =
    entities === undefined
      ? [...all.values()].filter(({ schema }) => mayUse(ctx, schema, 'read'))
      : [...new Set(entities.map((name, index) => requireEntity(ctx, all, name, index)))]
  const byKey = new Map(objects.map((object) => [object.key, object]))
  const readings = readingsOf(query)
  for (const { key } of objects) indexes.documents.lookAfter(workspaceId, key)
  const searched = objects.map(({ key, schema }) => ({
    workspaceId,
    object: key,
    readings,
    principal: principalOf(ctx, schema, 'read'),
  }))
  return ctx.tx.inOneState((tx) => readHits({ ...ctx, tx }, byKey, searched, limit))
}

/** Reads the hits, their records and their number. */
async function readHits(
  ctx: SearchContext,
  byKey: ReadonlyMap<string, ObjectModel>,
  searched: Parameters<typeof findHits>[1],
  limit: number,
): Promise<Output<typeof search.query>> {
  const { hits, total } = await findHits(ctx.tx, searched, limit)
  const best = hits.toSorted(byRelevance).slice(0, limit)
  const found = new Map<string, RecordResource>()
  for (const [key, rows] of Map.groupBy(
    await listRows(ctx.tx, ctx.workspace.workspaceId, searched, best),
    (row) => row.object,
  )) {
    const object = byKey.get(key)
    if (object !== undefined)
      for (const resource of await presentRecords(ctx, object, rows)) found.set(resource.id, resource)
  }
  const data = best.flatMap(({ id }) => found.get(id) ?? [])
  return {
    data,
    meta: { total_records: Math.min(total, searchCountedMax), ...(total > searchCountedMax && { total_capped: true }) },
  }
}

function requireEntity(
  ctx: SearchContext,
  all: ReadonlyMap<string, ObjectModel>,
  name: string,
  index: number,
): ObjectModel {
  const object = all.get(name)
  if (object !== undefined) return object
  const allowed = [...all.keys()]
  throw ctx.fail('unknown_value', {
    detail: `There is no object "${name}" in this workspace.${suggestion(name, allowed)}`,
    source: { pointer: `/entities/${index}` },
    meta: { allowed },
  })
}
