import type { ActivityType, EventPayload, EventType } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { readHeadsAhead, takeHeads } from './heads/store.ts'
import type { Tx } from '../../db/tx.ts'
import { agentOf, causeOf, doerOf, presentDoer, sourceId, type Actor } from '../../kernel/actor.ts'
import type { NamedEvent, DomainEvent } from '../../kernel/events.ts'
import { moveActivities } from './moves/store.ts'
import type { Dependent } from '../records/index.ts'
import { deleteActivities } from './store.ts'

/** Activity types by event type; other events do not appear in a record's feed. */
const activityTypes: Readonly<Partial<Record<EventType, ActivityType>>> = {
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

/** Events of one record, kind and actor that follow the first of them within this time form one activity. */
const windowMs = 60_000

/** An answer holds 500 activities, so a script that writes a record all the time must not make each of them endless. */
const eventsMax = 100

type Source = { readonly workspaceId: string; readonly actor: Actor; readonly now: number }

/** The position of an activity in the feed of its record, and that of its last event within it. */
type Activity = { readonly position: number; readonly place: number; readonly beganAt: number }

/** `now` is the time of the new events: a feed never goes backwards, even if a clock was set back. */
type Feed = { top: number; now: number; readonly open: Map<string, Activity> }

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
    const { position, place, beganAt } = nextPlace(feed, kindOf(event.activityType, listId))
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
      began_at: beganAt,
      created_at: feed.now,
    }
  })
  await tx.insert('activity', rows)
}

/** Prepares for events of records whose lock has just been sent; see `writeActivities`. */
export const expectActivities = (
  tx: Tx,
  { workspaceId, now }: Pick<Source, 'workspaceId' | 'now'>,
  recordIds: readonly string[],
): void => readHeadsAhead(tx, workspaceId, recordIds, now - windowMs)

/**
 * The feeds that events go to. A record that one of the events created has none yet, so creating many needs no query.
 */
async function feedsOf(
  tx: Tx,
  { workspaceId, actor, now }: Source,
  events: readonly Shown[],
): Promise<Map<string, Feed>> {
  const feeds = new Map<string, Feed>()
  for (const { recordId, activityType } of events)
    if (activityType === 'svc:create') feeds.set(recordId, { top: 0, now, open: new Map() })
  const known = [...new Set(events.map(({ recordId }) => recordId).filter((id) => !feeds.has(id)))]
  if (known.length === 0) return feeds
  const { id: by } = doerOf(actor)
  for (const { record_id, top, position, place, type, list_id, actor_id, began_at, created_at } of await takeHeads(
    tx,
    workspaceId,
    known,
    now - windowMs,
  )) {
    const feed = feeds.get(record_id) ?? { top: top ?? 0, now, open: new Map<string, Activity>() }
    feeds.set(record_id, feed)
    feed.now = Math.max(feed.now, created_at ?? 0)
    if (position === null || place === null || type === null || began_at === null || actor_id !== by) continue
    const kind = kindOf(type, list_id)
    const last = feed.open.get(kind)
    const newer = last === undefined || position > last.position || (position === last.position && place > last.place)
    if (newer) feed.open.set(kind, { position, place, beganAt: began_at })
  }
  return feeds
}

/** The run of an agent, or the import, that the events are part of and that can be reverted. */
const runOf = (actor: Actor): string | null =>
  (agentOf(actor) === undefined ? actor.importId : causeOf(actor)?.runId) ?? null

/** What the events of an activity have in common; those of one list are seen by others than those of another. */
const kindOf = (type: string, listId: string | null): string => (listId === null ? type : `${type} ${listId}`)

/** Continues the newest activity of the kind, or begins one. */
function nextPlace(feed: Feed, kind: string): Activity {
  const last = feed.open.get(kind)
  const isOver = last === undefined || last.place >= eventsMax || feed.now - last.beganAt >= windowMs
  const next = isOver ? { position: ++feed.top, place: 1, beganAt: feed.now } : { ...last, place: last.place + 1 }
  feed.open.set(kind, next)
  return next
}

export const activitiesOfRecords: Dependent = {
  async move({ tx, workspace }, fromIds, toId) {
    await moveActivities(tx, workspace.workspaceId, fromIds, toId)
    return []
  },
  purge: deleteActivities,
}
