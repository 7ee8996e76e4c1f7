import { webhookBody } from '@kontor/contract'
import { isoTime } from '../../../kernel/clock.ts'
import type { WorkspaceReadContext } from '../../../kernel/implement.ts'
import { presentEvent, seenEvents } from '../../event-feed/index.ts'
import { listEventsAt } from '../../events/index.ts'
import type { DeliveryRow } from './store.ts'

/** The type of the event that a test sends; it is in no log. */
export const testType = 'webhook.test'

/** The body of a delivery, or the reason why its webhook sends nothing. */
export type DeliveryContent = { readonly body: string } | { readonly withheld: string }

/** The owner of a webhook may not see an event, or nothing at all any more. */
export const hidden: DeliveryContent = { withheld: 'The owner of the webhook may no longer see this event.' }
const gone: DeliveryContent = { withheld: 'The event is no longer stored.' }

/**
 * Returns what some deliveries send, by their ids: their events, with what the owner of the webhook may see of them
 * now, whatever they could see when the events happened.
 */
export async function contentsOf(
  owner: WorkspaceReadContext,
  deliveries: readonly DeliveryRow[],
): Promise<ReadonlyMap<string, DeliveryContent>> {
  const sequences = deliveries.filter(({ event_type }) => event_type !== testType).map(({ sequence }) => sequence)
  const stored = await listEventsAt(owner.tx, owner.workspace.workspaceId, [...new Set(sequences)])
  const seen = new Map((await seenEvents(owner, stored)).map((event) => [event.id, event]))
  const known = new Set(stored.map(({ id }) => id))
  return new Map(
    deliveries.map((delivery) => {
      if (delivery.event_type === testType) return [delivery.id, { body: JSON.stringify(testBody(delivery)) }]
      const event = seen.get(delivery.event_id)
      if (event !== undefined) return [delivery.id, { body: JSON.stringify(webhookBody(presentEvent(event))) }]
      return [delivery.id, known.has(delivery.event_id) ? hidden : gone]
    }),
  )
}

const testBody = ({ event_id, event_type, created_at, webhook_id }: DeliveryRow) => ({
  id: event_id,
  type: event_type,
  timestamp: isoTime(created_at),
  data: { webhook_id },
})
