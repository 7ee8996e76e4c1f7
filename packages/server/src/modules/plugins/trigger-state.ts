import { z } from 'zod'
import { bounceKinds, change, eventActor } from '@kontor/contract'
import { passedMax } from './cron.ts'

const anything = z.looseObject({})

/** Members of every event. */
const event = {
  id: z.string().nullable().meta({ description: 'The id of the event; null if there is none.' }),
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
      'The attributes after the event that the workflow may see: changed attributes have the values of the event, ' +
      'all others those of the moment when the event was read. For a deleted record, its last attributes.',
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
    sources: z.array(z.string()).meta({ description: 'The records that were merged into it and no longer exist.' }),
  }),
)

export const listState = stateOf(record, z.object({ list_id: z.string() }))

export const relationshipState = stateOf(
  record,
  z.object({
    relationship: z.string().meta({ description: 'The relationship of the record.', example: 'company_id' }),
    ids: z.array(z.string()).meta({
      description: 'The records at the other end that were linked or unlinked.',
    }),
  }),
)

export const emailState = stateOf(
  record,
  z.object({
    email_id: z.string(),
    workflow_id: z.string().nullable().meta({ description: 'The workflow or campaign that sent the e-mail.' }),
    run_id: z.string().nullable(),
    url: z.string().optional().meta({ description: 'The link that was clicked.' }),
    bounce: z.enum(bounceKinds).optional().meta({ description: 'The kind of bounce.' }),
  }),
)

export const webhookState = stateOf(
  z.null(),
  z.object({
    body: z.unknown().meta({ description: 'The body of the request; `{}` if there was none.' }),
    query: z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
      description: 'The query parameters; a repeated one is a list.',
    }),
    headers: z.record(z.string(), z.union([z.string(), z.array(z.string())])).meta({
      description:
        'The headers, except those with credentials. Variables and filters can use their names in any case; a ' +
        'repeated header is a list.',
    }),
  }),
)

export const manualState = stateOf(record.nullable(), z.unknown())

export const heartbeatState = stateOf(
  z.null(),
  z.object({
    scheduled_at: z.iso.datetime().meta({ description: 'The scheduled time; the latest if times were missed.' }),
    missed: z.int().meta({
      description: `Number of earlier times that were missed because no server was running; at most ${passedMax}.`,
    }),
  }),
)
