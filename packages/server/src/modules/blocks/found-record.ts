import { z } from 'zod'
import type { RecordResource } from '@kontor/contract'

/** A record in the output of a block. */
export const foundRecord = z.object({ type: z.string(), id: z.string(), attributes: z.looseObject({}) })

/** A record as outputs have it: without what it is linked to, which its attributes name as far as it is one record. */
export const toFound = ({ type, id, attributes }: RecordResource): z.infer<typeof foundRecord> => ({
  type,
  id,
  attributes,
})
