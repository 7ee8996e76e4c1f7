import { z } from 'zod'
import type { EventType } from './event-types.ts'
import { eventAttributes, type EventResource } from './events.ts'
import { id } from './shared.ts'

/**
 * Returns the body that a webhook sends for an event: as `GET …/events` shows it, flat, with its type and time where
 * receivers expect them.
 */
export function webhookBody({ id: eventId, attributes: { type, created_at, ...rest } }: EventResource) {
  return { id: eventId, type, timestamp: created_at, ...rest }
}

/** Returns the schema of the body for an event of a type. */
export function webhookMessage(eventType: EventType): z.ZodObject {
  const { type, created_at, ...rest } = eventAttributes[eventType].shape
  return z.object({ id: id.meta({ description: 'The id of the event.' }), type, timestamp: created_at, ...rest })
}
