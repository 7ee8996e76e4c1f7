import { z } from 'zod'

/** Leftovers of a change that no answer shows any more. Objects, fields and names are storage keys. */
export const cleaning = z.discriminatedUnion('kind', [
  /** The values of a field that was dropped. */
  z.object({ kind: z.literal('values'), object: z.string(), key: z.string() }),
  /** The claims of a field that is no longer unique. */
  z.object({ kind: z.literal('claims'), name: z.string() }),
  /** The indexes on a field. */
  z.object({ kind: z.literal('index'), object: z.string(), field: z.string() }),
  z.object({ kind: z.literal('links'), relationship: z.string() }),
  /** The records of a deleted object, with all their dependents. */
  z.object({ kind: z.literal('object'), object: z.string() }),
])

export type Cleaning = z.infer<typeof cleaning>
