import { z } from 'zod'
import { recordMatch } from '@kontor/contract'

// Parts that the inputs of several blocks have in common.

export const object = z.string().min(1).max(64).meta({ description: 'The object of the record.', example: 'deal' })

const recordId = z.string().min(1).max(64)

/** The id of a record, or a unique value of it. */
export const namedRecord = z.union([recordId, recordMatch]).meta({
  description: 'The record: its id, or `{"match": {"<unique field>": value}}`.',
  example: '{{trigger.state.event.object._id}}',
})

export const attributes = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Values by field name.', example: { stage: 'Won' } })

/** Records that one step may name: a step of a workflow is no import. */
const idsMax = 1000

export const namedRecords = z
  .array(namedRecord)
  .min(1)
  .max(idsMax)
  .meta({ example: ['{{trigger.state.event.object._id}}'] })
