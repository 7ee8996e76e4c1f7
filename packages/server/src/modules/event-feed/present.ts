import type { EventResource } from '@kontor/contract'
import { isoTime } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import type { KnownEvent } from './seen.ts'

/** What has done something, by the kind that is stored with it. */
const entities: Readonly<Partial<Record<string, string>>> = { 'workspace-key': 'api-key', agent: 'agent' }

/** An event as answers, streams and deliveries show it. */
export const presentEvent = (event: KnownEvent): EventResource =>
  resource('event', event.id, {
    sequence: event.sequence,
    type: event.type,
    object: event.object,
    record_id: event.record_id,
    actor: { _id: event.actor.id, entity: entities[event.actor.kind] ?? 'user' },
    silent: event.silent,
    created_at: isoTime(event.created_at),
    data: dataOf(event),
  })

/**
 * Events of failed runs that were stored earlier have the words of the failure, which may repeat what the run had read.
 */
function dataOf({ type, payload }: KnownEvent): KnownEvent['payload'] {
  if (type !== 'workflow.run_failed') return payload
  return Object.fromEntries(Object.entries(payload).filter(([name]) => name !== 'detail'))
}
