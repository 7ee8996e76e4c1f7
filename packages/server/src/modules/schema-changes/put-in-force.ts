import type { Change } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import type { DomainEvent } from '../../kernel/events.ts'
import { deleteGrantsOn } from '../access/index.ts'
import { adaptLists, deleteListsOf, hasDynamicLists } from '../lists/index.ts'
import { compileObject } from '../objects/index.ts'
import type { SchemaChange } from '../filters/index.ts'
import { rebuildSearchDocuments, searchesOtherwise } from '../indexes/index.ts'
import { insertSchemas, raiseEpoch, schemaFeedId, storedSchema, type WorkspaceSchemas } from '../schemas/index.ts'
import { diffSchemas } from './change/diff.ts'
import type { DraftTarget } from './change/drafts.ts'
import { listChangeOf } from './change/lists.ts'

/** The actor of a change, and where its events are published. */
export type Author = {
  readonly workspaceId: string
  readonly userId: string
  readonly now: number
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
}

/** Lets what else refers to fields, in modules beyond this one, follow a change in its transaction. */
export type FollowSchemas = (tx: Tx, author: Author, change: SchemaChange) => Promise<void>

/**
 * Puts new versions in force, all at once: the end of every change. `schemas` are the earlier ones, read under their
 * lock.
 */
export async function putInForce(
  tx: Tx,
  { workspaceId, userId, now, emit }: Author,
  schemas: WorkspaceSchemas,
  planned: readonly DraftTarget[],
  followSchemas: FollowSchemas,
): Promise<void> {
  const targets = planned.filter(isChange)
  await raiseEpoch(tx, workspaceId)
  await insertSchemas(
    tx,
    { workspaceId, userId, now },
    targets.map(({ document, keys, version, gone }) => ({ document, keys, version, deleted: gone })),
  )
  for (const target of targets)
    if (findsOtherwise(target)) await rebuildSearchDocuments(tx, { workspaceId, object: target.keys.object, now })
  await emit(targets.flatMap((target) => eventOf(workspaceId, target)))
  const author = { workspaceId, userId, now, emit }
  for (const { gone, keys } of targets) {
    if (!gone) continue
    await deleteListsOf(tx, author, keys.object)
    await deleteGrantsOn(tx, workspaceId, schemaFeedId(workspaceId, keys.object))
  }
  const change = listChangeOf(schemas, targets)
  if (await hasDynamicLists(tx, workspaceId)) await adaptLists(tx, author, change)
  await followSchemas(tx, author, change)
}

/** The order of members counts as a change too. */
const isChange = ({ before, document, keys, gone }: DraftTarget): boolean =>
  gone || before === undefined || JSON.stringify([before.document, before.keys]) !== JSON.stringify([document, keys])

/** Returns whether the search documents of an object's records must be rebuilt. */
const findsOtherwise = ({ before, document, keys, version, gone }: DraftTarget): boolean =>
  !gone &&
  before !== undefined &&
  searchesOtherwise(compileObject(before), compileObject(storedSchema(document, keys, version)))

function eventOf(workspaceId: string, { name, before, document, keys, gone }: DraftTarget): DomainEvent[] {
  const event = (
    type: 'schema.created' | 'schema.updated' | 'schema.deleted',
    diff: readonly Change[],
  ): DomainEvent[] => [
    { type, object: 'schema', recordId: schemaFeedId(workspaceId, keys.object), payload: { entity: name, diff } },
  ]
  if (gone) return event('schema.deleted', [{ op: 'delete', path: [], val: null, oldVal: document }])
  const diff = diffSchemas(before, { document, keys })
  if (before === undefined) return event('schema.created', diff)
  return diff.length === 0 ? [] : event('schema.updated', diff)
}
