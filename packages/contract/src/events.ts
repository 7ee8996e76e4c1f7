import { z } from 'zod'
import { domain } from './endpoint.ts'
import { eventDefinitions, eventTypes, type EventType } from './event-types.ts'
import { exampleIds } from './example-ids.ts'
import { cursorLinks } from './paging.ts'
import { commaList, eventActor, id, timestamp } from './shared.ts'

/** Days for which events can be read. */
export const eventsKeptDays = 30

/** Events in a page, by default and at most. */
export const eventsPageDefault = 100
const eventsPageMax = 200

const sequence = z.int().min(0)

const actor = eventActor.meta({ id: 'EventActor' })

const pascalCase = (type: string) => type.replaceAll(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase())

/** Returns the schema of the payload of an event, typed as the same for all events. */
const payloadOf = (type: EventType): z.ZodObject => eventDefinitions[type].payload

const attributesOfType = (type: EventType) =>
  z
    .object({
      sequence: sequence.meta({ description: 'The number of the event in the log of the workspace, without gaps.' }),
      type: z.literal(type),
      object: z.string().meta({
        description: 'The kind of the subject: the object of a record, or `list`, `schema`, `user` and so on.',
        example: eventDefinitions[type].about[0] === 'record' ? 'person' : eventDefinitions[type].about[0],
      }),
      record_id: id.meta({ description: 'The id of the subject of the event.' }),
      actor,
      silent: z.boolean().meta({ description: 'True if the caller requested no notifications.' }),
      created_at: timestamp,
      data: payloadOf(type),
    })
    .meta({ id: `${pascalCase(type)}Event`, description: eventDefinitions[type].description })

type AttributesOfType = ReturnType<typeof attributesOfType>

/** The attributes of an event, by its type. */
export const eventAttributes = Object.fromEntries(eventTypes.map((type) => [type, attributesOfType(type)])) as Readonly<
  Record<EventType, AttributesOfType>
>

const [first, ...others] = Object.values(eventAttributes) as [AttributesOfType, ...AttributesOfType[]]

const event = z
  .object({ type: z.literal('event'), id, attributes: z.union([first, ...others]) })
  .meta({ id: 'LogEvent' })

export type EventResource = z.infer<typeof event>

/** Which events are wanted; all conditions must hold. */
const filter = z
  .strictObject({
    type: commaList(z.enum(eventTypes)).optional().meta({ description: 'Events of these types.' }),
    object: z.string().min(1).max(64).optional().meta({ description: 'Events about this object.', example: 'deal' }),
    record: id.optional().meta({ description: 'Events about the record, or list, with this id.' }),
  })
  .optional()

export type EventFilter = NonNullable<z.output<typeof filter>>

const after = sequence.optional()

const seen =
  'The caller receives only events that they may see. Events of hidden records and lists are ' +
  'omitted, hidden records are removed from `data`, and scopes limit the events to the data that ' +
  'they cover. Events of workspace keys go to admins, events of personal keys to their owner. Events ' +
  'of a deleted record go to those who could see it.'

/** The events of a workspace: one log, in order. */
export const events = domain({
  list: {
    method: 'GET',
    path: '/workspaces/{workspace}/events',
    caller: 'any',
    scope: 'events:read',
    summary: 'List events',
    description:
      `Lists the events of the last ${eventsKeptDays} days, the oldest first. To follow them, ` +
      'continue with `meta.next_after`: you miss no event and receive none twice. A page can contain fewer ' +
      `events than requested, or none, although there are more: \`links.next\` is null at the end. ${seen}`,
    query: z.strictObject({
      after: after.meta({ description: 'Events after this `sequence`; by default from the oldest on.' }),
      limit: z.int().min(1).max(eventsPageMax).default(eventsPageDefault).meta({ description: 'Events in a page.' }),
      filter,
    }),
    response: z.object({
      data: z.array(event),
      meta: z
        .object({
          next_after: sequence.meta({ description: 'The end of this page: send it as `after` to continue.' }),
          first_sequence: sequence.meta({ description: 'The number of the oldest event that is kept.' }),
          last_sequence: sequence.meta({ description: 'The number of the newest event.' }),
        })
        .meta({ id: 'EventPageMeta' }),
      links: cursorLinks,
    }),
    errors: ['events_expired'],
  },
  stream: {
    method: 'GET',
    path: '/workspaces/{workspace}/events/stream',
    caller: 'any',
    scope: 'events:read',
    media: 'text/event-stream',
    summary: 'Follow events as they happen',
    description:
      'Server-sent events. Each event has an `id`, its `sequence`, and `data` in one line: the event as ' +
      'in the list. `EventSource` and similar clients reconnect automatically and continue at the same ' +
      'position; others send `Last-Event-ID` or `after`. Without a position the stream starts with the ' +
      'next event. A comment is sent at least every 25 seconds, with the `id` that was reached. The ' +
      'stream ends when the access of the caller ends, when the server stops, and when the caller reads ' +
      'nothing for 30 seconds; a caller that reconnects misses nothing. The server limits the open ' +
      'streams of a credential (429, by default 100) and of a workspace (503); these errors come before ' +
      'the stream starts. Available over REST, and over tRPC as a subscription (httpSubscriptionLink). ' +
      seen,
    query: z.strictObject({
      after: after.meta({ description: 'Events after this `sequence`; by default what happens from now on.' }),
      filter,
    }),
    response: z.string().meta({
      description: 'Server-sent events in UTF-8, without an end.',
      example: `retry: 2000\n\nid: 42\ndata: {"type":"event","id":"${exampleIds.spare}","attributes":{…}}\n\n`,
    }),
    errors: ['events_expired'],
  },
})
