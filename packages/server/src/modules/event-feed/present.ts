import type { EventResource } from '@kontor/contract'
import { presentDoer } from '../../kernel/actor.ts'
import { isoTime } from '../../kernel/clock.ts'
import { resource } from '../../kernel/resource.ts'
import type { KnownEvent } from './seen.ts'

/** An event as answers, streams and deliveries show it. */
export const presentEvent = (event: KnownEvent): EventResource =>
  resource('event', event.id, {
    sequence: event.sequence,
    type: event.type,
    object: event.object,
    record_id: event.record_id,
    actor: presentDoer(event.actor),
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
