import { eventDefinitions, eventTypes, type EventType } from '../event-types.ts'
import { webhookMessage } from '../webhook-messages.ts'
import { tagOf } from './tags.ts'

const text = { type: 'string' as const }

const header = (name: string, description: string) => ({
  name,
  in: 'header' as const,
  required: true,
  description,
  schema: text,
})

/** Standard Webhooks: which message it is, when it was sent, and who vouches for it; to be referenced by name. */
export const webhookHeaders = {
  'webhook-id': header('webhook-id', 'Id of the delivery, the same in every attempt.'),
  'webhook-timestamp': header('webhook-timestamp', 'Time of this attempt, in seconds since 1970.'),
  'webhook-signature': header('webhook-signature', 'Signatures of id, timestamp and body, by each valid secret.'),
}

const references = Object.keys(webhookHeaders).map((name) => ({ $ref: `#/components/parameters/${name}` }))

const route = (type: EventType) => ({
  method: 'post' as const,
  path: type,
  operationId: `webhook_${type.replace('.', '_')}`,
  summary: type,
  description: eventDefinitions[type].description,
  tags: [tagOf('webhooks').title],
  security: [],
  parameters: references,
  request: { body: { required: true, content: { 'application/json': { schema: webhookMessage(type) } } } },
  responses: {
    '2XX': { description: 'Taken.' },
    410: { description: 'Disables the webhook.' },
    default: { description: 'A failure: the event is sent again.' },
  },
})

/** The requests of webhooks: one to the URL of a subscriber for each type of event. */
export const webhookRoutes = () => eventTypes.map(route)
