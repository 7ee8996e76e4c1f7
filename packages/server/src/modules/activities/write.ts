import type { ActivityType, EventPayload, EventType } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import type { Tx } from '../../db/tx.ts'
import { agentOf, causeOf, doerOf, presentDoer, sourceId, type Actor } from '../../kernel/actor.ts'
import type { DomainEvent, NamedEvent } from '../../kernel/events.ts'
import { takeFeedEnd, updateFeedEnds } from '../feeds/index.ts'
import { endOfRows, FeedTail, kindOf, windowMs } from './feed-tail.ts'
import { listActivityHeads } from './heads/store.ts'

type MemberOf<T extends EventType> = keyof EventPayload<T>

/** A type of event with changes; a payload without members accepts any name. */
type TypeWithChanges = {
  [T in EventType]: string extends MemberOf<T> ? never : 'diff' extends MemberOf<T> ? T : never
}[EventType]

/**
 * Activity types by event type; other events do not appear in a record's feed. Those with changes all do: their changes
 * are stored nowhere else (docs/decisions/0031).
 */
const activityTypes: Readonly<Partial<Record<EventType, ActivityType>> & Record<TypeWithChanges, ActivityType>> = {
  'record.created': 'svc:create',
  'record.updated': 'svc:update',
  'record.deleted': 'svc:delete',
  'record.restored': 'svc:restore',
  'record.merged': 'svc:merge',
  'relationship.set': 'svc:set-relationship',
  'relationship.unset': 'svc:unset-relationship',
  'list.entry_added': 'svc:add-to-list',
  'list.entry_removed': 'svc:remove-from-list',
  'access.granted': 'svc:grant-access',
  'access.updated': 'svc:update-access',
  'access.revoked': 'svc:revoke-access',
  'comment.created': 'comment:create',
  'comment.updated': 'comment:update',
  'comment.deleted': 'comment:delete',
  'attachment.created': 'svc:update',
  'attachment.deleted': 'svc:update',
  'email.sent': 'campaign:sent',
  'email.opened': 'campaign:opened',
  'email.clicked': 'campaign:clicked',
  'email.replied': 'campaign:replied',
  'email.bounced': 'campaign:bounced',
  'email.unsubscribed': 'campaign:unsubscribed',
  'schema.created': 'svc:create',
  'schema.updated': 'svc:update',
  'schema.deleted': 'svc:delete',
}

const activityTypeOf = ({ type }: DomainEvent): ActivityType | undefined => activityTypes[type]

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly now: number }

type Shown = NamedEvent & { readonly activityType: ActivityType }

/**
 * Writes events into the feeds of their records. The caller holds the lock of each record or has just created it, so no
 * other transaction assigns its positions at the same time.
 */
export async function writeActivities(tx: Tx, source: Source, events: readonly NamedEvent[]): Promise<void> {
  const shown = events.flatMap((event): Shown[] => {
    const activityType = activityTypeOf(event)
    return activityType === undefined ? [] : [{ ...event, activityType }]
  })
  const feeds = await feedsOf(tx, source, shown)
  const doer = presentDoer(doerOf(source.actor))
  const rows = shown.map((event) => {
    const feed = defined(feeds.get(event.recordId))
    const listId = 'list_id' in event.payload ? event.payload.list_id : null
    const { position, place, began_at } = feed.add({ kind: kindOf(event.activityType, listId), actor: doer._id })
    return {
      workspace_id: source.workspaceId,
      record_id: event.recordId,
      position,
      place,
      id: event.id,
      type: event.activityType,
      object: event.object,
      actor_id: doer._id,
      actor_entity: doer.entity,
      on_behalf_of: doer.on_behalf_of ?? null,
      source_id: sourceId(source.actor),
      diff: diffOf(event),
      list_id: listId,
      run_id: runOf(source.actor),
      began_at,
      created_at: feed.at,
    }
  })
  await Promise.all([tx.insert('activity', rows), updateFeedEnds(tx, source.workspaceId, movedEnds(shown, feeds))])
}

/** The ends of the feeds of records; a record was created with the end of the feed that has that event alone. */
function movedEnds(events: readonly Shown[], feeds: ReadonlyMap<string, FeedTail>) {
  const moved = events.filter(({ type, object }) => type !== 'record.created' && object !== 'schema')
  return new Map(moved.map(({ recordId }) => [recordId, defined(feeds.get(recordId)).end]))
}

/**
 * The feeds that events go to. A record that one of the events created has none yet, so creating many needs no query,
 * and the end of another's was read with its lock.
 */
async function feedsOf(
  tx: Tx,
  { workspaceId, now }: Source,
  events: readonly Shown[],
): Promise<ReadonlyMap<string, FeedTail>> {
  const feeds = new Map<string, FeedTail>()
  for (const { recordId, activityType } of events)
    if (activityType === 'svc:create') feeds.set(recordId, new FeedTail({ top: 0, at: now, open: [] }, now))
  const unknown: string[] = []
  for (const id of new Set(events.map(({ recordId }) => recordId))) {
    if (feeds.has(id)) continue
    const end = takeFeedEnd(tx, id)
    if (end === undefined) unknown.push(id)
    else feeds.set(id, new FeedTail(end, now))
  }
  if (unknown.length === 0) return feeds
  const heads = Map.groupBy(
    await listActivityHeads(tx, workspaceId, unknown, now - windowMs),
    ({ record_id }) => record_id,
  )
  for (const id of unknown) feeds.set(id, new FeedTail(endOfRows(heads.get(id) ?? []), now))
  return feeds
}

/** The run of an agent, or the import, that the events are part of and that can be reverted. */
const runOf = (actor: Actor): string | null =>
  (agentOf(actor) === undefined ? actor.importId : causeOf(actor)?.runId) ?? null

/** The changes of an event: those that it states, or those that follow from its type. */
function diffOf({ type, recordId, payload }: DomainEvent): EventPayload<'record.updated'>['diff'] {
  if ('diff' in payload) return payload.diff
  if ('ids' in payload) {
    const path = [payload.relationship]
    return type === 'relationship.set'
      ? [{ op: 'add', path, val: payload.ids, oldVal: null }]
      : [{ op: 'delete', path, val: null, oldVal: payload.ids }]
  }
  if (type === 'record.deleted') return [{ op: 'delete', path: ['_id'], val: null, oldVal: recordId }]
  if (type === 'record.restored') return [{ op: 'add', path: ['_id'], val: recordId, oldVal: null }]
  return []
}
