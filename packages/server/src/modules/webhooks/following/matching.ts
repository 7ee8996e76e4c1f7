import { matchesEvent } from '@kontor/contract'
import type { KnownEvent } from '../../event-feed/index.ts'
import type { LoggedEvent } from '../../events/index.ts'
import { isList, memberOf } from '../../../lib/guards.ts'
import type { WebhookRow } from '../store.ts'

/** Where in the log a webhook begins, and from where on it sends; null where it has not come to that event yet. */
export type Positions = Pick<WebhookRow, 'follows_from' | 'sends_from'>

/**
 * The positions of a webhook once it has read some events: those of the events of its creation and of when it was
 * enabled. The log says what came first; times of two nodes do not.
 */
export function positionsAfter(
  { id, follows_from, sends_from, enabled_by }: WebhookRow,
  events: readonly LoggedEvent[],
): Positions {
  const created = events.find(({ type, record_id }) => type === 'webhook.created' && record_id === id)
  const sends = sends_from ?? events.find((event) => event.id === enabled_by)?.sequence ?? null
  return { follows_from: follows_from ?? created?.sequence ?? sends, sends_from: sends }
}

/** Returns whether a webhook asks for an event, by all that can be told without reading anything else. */
export const asksFor = ({ events, filter, follows_from }: WebhookRow, event: LoggedEvent): boolean =>
  follows_from !== null &&
  event.sequence >= follows_from &&
  events.some((pattern) => matchesEvent(pattern, event.type)) &&
  (filter?.object === undefined || filter.object === event.object)

/** Returns whether an event happened while a webhook was enabled. */
export const isSent = ({ enabled, sends_from }: WebhookRow, event: LoggedEvent): boolean =>
  enabled && sends_from !== null && event.sequence >= sends_from

/** Returns whether an event changes one of the fields that a webhook asks for. */
export const changesAsked = ({ filter }: WebhookRow, event: KnownEvent): boolean =>
  filter?.changed === undefined || fieldsOf(event).some((field) => filter.changed?.includes(field))

/** The fields that an event changes: those in its diff, or the relationship along which it links. */
function fieldsOf({ payload: { diff, relationship } }: KnownEvent): string[] {
  const changes = isList(diff) ? diff : []
  return [...changes.flatMap(fieldOf), ...(typeof relationship === 'string' ? [relationship] : [])]
}

function fieldOf(change: unknown): string[] {
  const path = memberOf(change, 'path')
  const [field] = isList(path) ? path : []
  return typeof field === 'string' ? [field] : []
}
