import { eventDefinitions, type EventType } from '@kontor/contract'
import { actorId, actorUserId, isDelegate } from '../../kernel/actor.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { holdsScope, mayTouch } from '../../kernel/authorise.ts'
import { isString } from '../../lib/guards.ts'
import { hiddenSuppressions } from '../emails/index.ts'
import type { LoggedEvent } from '../events/index.ts'
import { hiddenLists } from '../lists/index.ts'
import { idsInChanges, seenChanges, sightOf } from '../records/index.ts'

/** An event of a type that this version knows: nodes of two versions may run side by side. */
export type KnownEvent = LoggedEvent & { readonly type: EventType; readonly object: string; readonly record_id: string }

const isKnown = (event: LoggedEvent): event is KnownEvent =>
  Object.hasOwn(eventDefinitions, event.type) && event.object !== null && event.record_id !== null

/** Returns the kind of the subject of an event: a record, or something without an object. */
const kindOf = ({ type, object }: KnownEvent): (typeof eventDefinitions)[EventType]['about'][number] =>
  eventDefinitions[type].about.find((kind) => kind === object) ?? 'record'

/**
 * The events that a caller may see, without what they may not see in them: by the scopes of the credential, by the
 * level on the record or list that an event is about, and by those on what it names (docs/decisions/0150). It takes a
 * few queries for any number of events.
 */
export async function seenEvents(ctx: WorkspaceReadContext, events: readonly LoggedEvent[]): Promise<KnownEvent[]> {
  const allowed = events.filter(isKnown).filter((event) => isAllowed(ctx, event))
  const [sight, lists, suppressions] = await Promise.all([
    sightOf(ctx, allowed.flatMap(recordsOf)),
    hiddenLists(ctx, allowed.flatMap(listsOf)),
    hiddenSuppressions(ctx, allowed.flatMap(suppressionsOf)),
  ])
  return allowed.flatMap((event) => {
    if (kindOf(event) === 'record' && !sight.shows(event.object, event.record_id)) return []
    if (listsOf(event).some((id) => lists.has(id))) return []
    if (suppressionsOf(event).some((id) => suppressions.has(id))) return []
    return redacted(event, sight)
  })
}

/** Returns whether the credential and the role of the caller let them be told of such an event at all. */
function isAllowed(ctx: WorkspaceReadContext, event: KnownEvent): boolean {
  const { actor } = ctx
  const { scope } = eventDefinitions[event.type]
  // Sharing is between people: a key of the workspace is not told of it elsewhere either.
  if (event.type.startsWith('access.') && actorUserId(actor) === null) return false
  if (kindOf(event) === 'api-key') return isOfSeenKey(ctx, event)
  if (kindOf(event) === 'app' && ctx.workspace.role !== 'admin') return false
  if (kindOf(event) === 'webhook' && !isOfSeenWebhook(ctx, event)) return false
  if (kindOf(event) === 'record' && !mayTouch(actor, 'read', event.object)) return false
  return scope === null || scope === 'records:read' || holdsScope(actor, scope)
}

/** As keys themselves are seen: one's own, and those of the workspace by admins. An app or an agent sees none. */
const isOfSeenKey = ({ actor, workspace }: WorkspaceReadContext, { payload }: KnownEvent): boolean =>
  !isDelegate(actor) &&
  (payload['actor_type'] === 'user' ? payload['user_id'] === actorUserId(actor) : workspace.role === 'admin')

/** As webhooks themselves are seen, by admins and by their owners, who alone act on them. */
const isOfSeenWebhook = ({ actor, workspace }: WorkspaceReadContext, event: KnownEvent): boolean =>
  workspace.role === 'admin' || [event.actor.id, event.actor.on_behalf_of?.id].includes(actorId(actor))

/** Records that an event is about or names. */
const recordsOf = (event: KnownEvent): string[] => [
  ...(kindOf(event) === 'record' ? [event.record_id] : []),
  ...(event.payload.ids ?? []),
  ...(event.payload.sources ?? []),
  ...idsInChanges(event.payload.diff ?? []),
]

/** The suppression that an event is about. */
const suppressionsOf = (event: KnownEvent): string[] => (kindOf(event) === 'suppression' ? [event.record_id] : [])

/** Lists that an event is about or names. */
const listsOf = (event: KnownEvent): string[] =>
  [kindOf(event) === 'list' ? event.record_id : undefined, event.payload['list_id']].filter(isString)

/** An event without hidden records; none where nothing of it is left. */
function redacted(event: KnownEvent, sight: Awaited<ReturnType<typeof sightOf>>): KnownEvent[] {
  const { diff, ids, sources } = event.payload
  const isSeen = (id: string): boolean => !sight.hides(id)
  const seen = {
    ...(diff && { diff: seenChanges(diff, sight) }),
    ...(ids && { ids: ids.filter(isSeen) }),
    ...(sources && { sources: sources.filter(isSeen) }),
  }
  if (isEmptied(diff, seen.diff) || isEmptied(ids, seen.ids)) return []
  return [{ ...event, payload: { ...event.payload, ...seen } }]
}

const isEmptied = (before: readonly unknown[] = [], after: readonly unknown[] = []): boolean =>
  before.length > 0 && after.length === 0
