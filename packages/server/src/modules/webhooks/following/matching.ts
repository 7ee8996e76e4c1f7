import { matchesEvent } from '@kontor/contract'
import type { KnownEvent } from '../../event-feed/index.ts'
import type { LoggedEvent } from '../../events/index.ts'
import { isList, memberOf } from '../../../lib/guards.ts'
import type { WebhookRow } from '../store.ts'

/** Whether a webhook asks for an event, by all that can be told without reading anything else. */
export const asksFor = ({ events, filter, created_at }: WebhookRow, event: LoggedEvent): boolean =>
  event.created_at >= created_at &&
  events.some((pattern) => matchesEvent(pattern, event.type)) &&
  (filter?.object === undefined || filter.object === event.object)

/** Whether an event happened while a webhook was enabled. */
export const isSent = ({ enabled, enabled_at }: WebhookRow, event: LoggedEvent): boolean =>
  enabled && event.created_at >= enabled_at

/** Whether an event changes one of the fields that a webhook asks for. */
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
