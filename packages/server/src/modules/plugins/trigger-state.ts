import { z } from 'zod'
import { bounceKinds, change, eventActor } from '@kontor/contract'
import { passedMax } from './cron.ts'

const anything = z.looseObject({})

/** Members of every event. */
const event = {
  id: z.string().nullable().meta({ description: 'The id of the event; null where there was none.' }),
  type: z.string(),
  sequence: z.int().nullable(),
  created_at: z.iso.datetime(),
  actor: eventActor.nullable(),
}

const record = z.object({
  _id: z.string(),
  entity: z.string().meta({ description: 'The object of the record.', example: 'deal' }),
  data: anything.nullable().meta({
    description:
      'Its attributes after the event, as the workflow may see them: changed attributes have the values ' +
      'of the event, all others those of the moment when the event was read. For a deleted record, its ' +
      'last attributes.',
  }),
  diff: z
    .array(change)
    .meta({ description: 'The changes of the event; empty if the event changed the record at the other end.' }),
})

const stateOf = <D extends z.ZodType, O extends z.ZodType>(object: O, data: D) =>
  z.object({ event: z.object({ ...event, object, data }) })

/** `state` of a trigger that stands for an event of a record. */
export const recordState = stateOf(record, z.object({}))

/** Of a record that was deleted, or merged into another. */
export const deletedState = stateOf(
  record,
  z.object({
    merged_into: z.string().optional().meta({
      description: 'The record that it was merged into; absent if it was deleted.',
    }),
  }),
)

/** Of a record into which others were merged. */
export const mergedState = stateOf(
  record,
  z.object({
    sources: z.array(z.string()).meta({ description: 'The records that were merged into it, which are gone.' }),
  }),
)

export const listState = stateOf(record, z.object({ list_id: z.string() }))

export const relationshipState = stateOf(
  record,
  z.object({
    relationship: z.string().meta({ description: 'The relationship of the record.', example: 'company_id' }),
    ids: z.array(z.string()).meta({
      description: 'The records at its other end: those that were linked, or else those whose links were removed.',
    }),
  }),
)

export const emailState = stateOf(
  record,
  z.object({
    email_id: z.string(),
    workflow_id: z.string().nullable().meta({ description: 'The workflow or campaign that sent the e-mail.' }),
    run_id: z.string().nullable(),
    url: z.string().optional().meta({ description: 'The link that was followed.' }),
    bounce: z.enum(bounceKinds).optional().meta({ description: 'The kind of bounce.' }),
  }),
)

export const webhookState = stateOf(
  z.null(),
  z.object({
    body: z.unknown().meta({ description: 'The body of the request; `{}` where there was none.' }),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
      description: 'Its query parameters; one that was sent more than once is a list.',
    }),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
      description:
        'Its headers, but for those that carry credentials. Variables and filters find them by their names in any ' +
        'case; one that was sent more than once is a list.',
    }),
  }),
)

export const manualState = stateOf(record.nullable(), z.unknown())

export const heartbeatState = stateOf(
  z.null(),
  z.object({
    scheduled_at: z.iso.datetime().meta({ description: 'The scheduled time, or the last of several.' }),
    missed: z.int().meta({
      description: `Number of earlier times without a run, since no server was running; ${passedMax} at most.`,
    }),
  }),
)
