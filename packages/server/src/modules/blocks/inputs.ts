import { z } from 'zod'

// What the inputs of several blocks have.

export const object = z.string().min(1).max(64).meta({ description: 'The object of the record.', example: 'deal' })

export const recordId = z
  .string()
  .min(1)
  .max(64)
  .meta({ description: 'The id of the record.', example: '{{trigger.state.event.object._id}}' })

export const attributes = z
  .record(z.string(), z.unknown())
  .meta({ description: 'Values by field name.', example: { stage: 'Won' } })

/** Records that one step may name: a step of a workflow is no import. */
const idsMax = 1000

export const ids = z
  .array(recordId)
  .min(1)
  .max(idsMax)
  .meta({ example: ['{{trigger.state.event.object._id}}'] })
