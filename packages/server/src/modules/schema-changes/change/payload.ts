import { z } from 'zod'
import type { Actor } from '../../../kernel/actor.ts'
import type { JobType } from '../../../engine/types.ts'

const finding = z.object({
  object: z.string(),
  field: z.string(),
  reason: z.string(),
  conflict: z.boolean(),
  count: z.number(),
  sample_ids: z.array(z.string()),
})

/** A kind of fault, and how many records have it. */
export type Finding = z.infer<typeof finding>

/** The steps of a change; which of them run depends on what it requires of the records. */
const steps = ['wait', 'begin', 'settle', 'check', 'claim', 'activate', 'clear'] as const

const payload = z.object({
  taskId: z.string(),
  /** The actor who requested the change, and in whose name it is made. */
  actor: z.custom<Actor>((value) => typeof value === 'object' && value !== null),
  silent: z.boolean(),
  step: z.enum(steps),
  /** Transactions that may not have seen the announcement; null before they were listed. */
  waiting: z.array(z.string()).nullable(),
  /**
   * The current object of the change, its last record that was read, and the creation time up to which the scan goes.
   */
  place: z.object({ index: z.int(), at: z.number(), id: z.string(), until: z.number().optional() }).nullable(),
  /** Records in the next batch. */
  rows: z.int(),
  findings: z.array(finding),
  failures: z.int(),
})

export type ChangePayload = z.infer<typeof payload>

/** Records in the first batch; its duration decides the size of the next ones. */
export const rowsFirst = 50

/** A schema change, from its announcement to its end; one job each, whose id is that of its task. */
export const changeType: JobType<ChangePayload> = { name: 'schemas.change', payload }
