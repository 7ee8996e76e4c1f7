import { z } from 'zod'
import { isList, isString, memberOf } from '../../lib/guards.ts'
import type { LoggedEvent } from '../events/index.ts'
import { schedule } from './cron.ts'
import { inboundTrigger } from './inbound-trigger.ts'
import { linkChangesOf, occurrenceOf } from './link-changes.ts'
import type { Trigger } from './plugin.ts'
import {
  deletedState,
  emailState,
  heartbeatState,
  listState,
  manualState,
  mergedState,
  recordState,
  relationshipState,
} from './trigger-state.ts'

/** The plugin of workflows that run on a schedule. */
export const heartbeatPlugin = 'on:general:time:heartbeat'

const object = z.string().min(1).max(100).meta({ description: 'The object of the record.', example: 'deal' })
const listId = z.string().min(1).optional().meta({ description: 'Only this list; by default any.' })
const relationship = z.string().min(1).optional().meta({ description: 'Only this relationship; by default any.' })

type TriggerInput = Readonly<Record<string, unknown>>

const isOf = (event: LoggedEvent, input: TriggerInput): boolean => event.object === input['object']

/** Tells whether an event has the value that an input asks for; one that asks for nothing takes any. */
const isAsked = (asked: unknown, actual: unknown): boolean => asked === undefined || asked === actual

const both = ['trigger', 'exit'] as const

type RecordTrigger = Pick<Trigger, 'id' | 'title' | 'description' | 'events'>

const ofRecord = (facts: RecordTrigger): Trigger => ({
  ...facts,
  types: ['workflow'],
  places: both,
  input: z.strictObject({ object }),
  state: recordState,
  matches: isOf,
})

const ofList = (facts: RecordTrigger, types: Trigger['types']): Trigger => ({
  ...facts,
  types,
  places: both,
  input: z.strictObject({ object: object.optional(), list_id: listId }),
  state: listState,
  matches: (event, { object: wanted, list_id }) =>
    isAsked(wanted, event.object) && isAsked(list_id, event.payload['list_id']),
})

type LinkTrigger = Pick<Trigger, 'id' | 'title' | 'description'> & {
  readonly hears: { readonly set: boolean; readonly unset: boolean }
}

/** A link hangs on both of its records, so it is heard of either, whichever of them the event is about. */
const ofRelationship = ({ hears, ...facts }: LinkTrigger): Trigger => ({
  ...facts,
  types: ['workflow'],
  places: both,
  input: z.strictObject({ object, relationship }),
  state: relationshipState,
  events: [
    ...(hears.set ? ['relationship.set', 'record.created'] : []),
    ...(hears.unset ? ['relationship.unset'] : []),
    'record.updated',
    'record.merged',
  ],
  matches: ({ object: name, payload: { relationship: linked, diff = [] } }, input) =>
    linked === undefined ? diff.length > 0 : name === input['object'] && isAsked(input['relationship'], linked),
  occurrences: (event, input, objects) =>
    linkChangesOf(event, String(input['object']), objects)
      .filter((change) => isAsked(input['relationship'], change.relationship))
      .flatMap((change) => occurrenceOf(change, hears)),
})

/** Of a letter: without a workflow, runs wait for their own letters and are ended by them alone. */
const ofEmail = (facts: RecordTrigger): Trigger => ({
  ...facts,
  types: ['workflow', 'sequence'],
  begins: ['workflow'],
  places: both,
  input: z.strictObject({
    workflow_id: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .meta({
        description:
          'E-mails of this workflow or campaign. By default: of any for a trigger, of the run itself for an exit or ' +
          'a wait.',
      }),
  }),
  state: emailState,
  matches: ({ payload }, { workflow_id }) => isAsked(workflow_id, payload['workflow_id']),
  concerns: ({ payload }, { workflow_id }, runId) => workflow_id !== undefined || payload['run_id'] === runId,
})

/** The fields that an event has changed; a merge, or who may see the record, is no change of a field. */
const changedFields = ({ payload: { diff } }: LoggedEvent): string[] =>
  (isList(diff) ? diff : [])
    .map((change) => memberOf(change, 'path'))
    .map((path) => (isList(path) ? path[0] : undefined))
    .filter(isString)
    .filter((name) => !name.startsWith('_') && name !== 'access')

const fields = z.array(z.string().min(1)).max(200).optional().meta({ description: 'By default any field.' })

/** Of values of a record: with `fields`, of these alone. A merge is one where it changes the record that is left. */
const ofFields = (facts: RecordTrigger): Trigger => ({
  ...ofRecord({ ...facts, events: [...facts.events, 'record.merged'] }),
  input: z.strictObject({ object, fields }),
  matches(event, input) {
    const { fields: asked } = input
    if (!isOf(event, input)) return false
    if (isList(asked)) return changedFields(event).some((field) => asked.includes(field))
    return event.type !== 'record.merged' || changedFields(event).length > 0
  },
})

const deleted: Trigger = {
  ...ofRecord({
    id: 'on:svc:delete:record',
    title: 'Record deleted',
    description: 'When a record is deleted, or merged into another record (`event.data.merged_into`).',
    events: ['record.deleted', 'record.merged'],
  }),
  state: deletedState,
  occurrences: ({ type, object: name, record_id: id, payload: { sources = [] } }) =>
    type === 'record.merged'
      ? sources.map((source) => ({ object: name, recordId: source, isGone: true, data: { merged_into: id } }))
      : [{ object: name, recordId: id }],
}

/** Plugins that begin runs by themselves, or by a call. */
export const triggers: readonly Trigger[] = [
  ofRecord({
    id: 'on:svc:create:record',
    title: 'Record created',
    description: 'When a record is created.',
    events: ['record.created'],
  }),
  ofFields({
    id: 'on:svc:update:record',
    title: 'Record updated',
    description: 'When a record changes, also by a merge; with `fields`, only when one of these fields changes.',
    events: ['record.updated'],
  }),
  deleted,
  ofFields({
    id: 'on:svc:upsert:record',
    title: 'Record created or updated',
    description:
      'When a record is created or changes; with `fields`, only when one of these fields has a value or changes.',
    events: ['record.created', 'record.updated'],
  }),
  {
    ...ofRecord({
      id: 'on:svc:merge:record',
      title: 'Records merged',
      description: 'When other records are merged into a record. The run is for the remaining record.',
      events: ['record.merged'],
    }),
    state: mergedState,
  },
  ofRecord({
    id: 'on:svc:restore:record',
    title: 'Record restored',
    description: 'When a deleted record is restored.',
    events: ['record.restored'],
  }),
  ofList(
    {
      id: 'on:svc:add-to-list',
      title: 'Record added to a list',
      description: 'When a record joins a list: it was added, or it now matches the query.',
      events: ['list.entry_added'],
    },
    ['workflow', 'sequence'],
  ),
  ofList(
    {
      id: 'on:svc:remove-from-list',
      title: 'Record removed from a list',
      description: 'When a record leaves a list.',
      events: ['list.entry_removed'],
    },
    ['workflow'],
  ),
  ofRelationship({
    id: 'on:svc:set-relationship',
    title: 'Relationship set',
    description: 'When a record is linked to others, from either end.',
    hears: { set: true, unset: false },
  }),
  ofRelationship({
    id: 'on:svc:unset-relationship',
    title: 'Relationship removed',
    description: 'When links of a record are removed from either end, or replaced by others.',
    hears: { set: false, unset: true },
  }),
  ofRelationship({
    id: 'on:svc:change-relationship',
    title: 'Relationship changed',
    description: 'When links of a record are added or removed, from either end.',
    hears: { set: true, unset: true },
  }),
  ofEmail({
    id: 'on:email:send',
    title: 'E-mail sent',
    description: 'When an e-mail to a person was sent.',
    events: ['email.sent'],
  }),
  ofEmail({
    id: 'on:email:open',
    title: 'E-mail opened',
    description: 'When a person first opens an e-mail, if opens are tracked.',
    events: ['email.opened'],
  }),
  ofEmail({
    id: 'on:email:click',
    title: 'Link clicked',
    description: 'When a person first clicks a link in an e-mail, if clicks are tracked.',
    events: ['email.clicked'],
  }),
  ofEmail({
    id: 'on:email:reply',
    title: 'Reply received',
    description: 'When a person first replies to an e-mail.',
    events: ['email.replied'],
  }),
  ofEmail({
    id: 'on:email:bounce',
    title: 'E-mail bounced',
    description: 'When an e-mail to a person bounces.',
    events: ['email.bounced'],
  }),
  inboundTrigger,
  {
    id: 'on:manual:execution',
    title: 'By hand',
    description: 'When a user or a program runs the workflow.',
    types: ['workflow', 'sequence', 'agent'],
    places: ['trigger'],
    input: z.strictObject({ object: object.optional() }),
    state: manualState,
    events: [],
    matches: () => false,
  },
  {
    id: heartbeatPlugin,
    title: 'On a schedule',
    description: 'At the times of a cron expression. Times that passed while no server ran count once.',
    types: ['workflow'],
    places: ['trigger'],
    input: schedule,
    state: heartbeatState,
    events: [],
    matches: () => false,
  },
]
