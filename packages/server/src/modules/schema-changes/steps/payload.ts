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

/** What is wrong with how many records. */
export type Finding = z.infer<typeof finding>

/** The steps of a change; which of them there are depends on what it asks of the records. */
const steps = ['wait', 'begin', 'settle', 'check', 'claim', 'activate', 'clear'] as const

const payload = z.object({
  taskId: z.string(),
  /** Who asked for the change, and so makes it. */
  actor: z.custom<Actor>((value) => typeof value === 'object' && value !== null),
  silent: z.boolean(),
  step: z.enum(steps),
  /** Transactions that may not know yet what was announced; null before they were listed. */
  waiting: z.array(z.string()).nullable(),
  /** Which object of the change is at its turn, the last record of it that was looked at, and up to which creation the look goes. */
  place: z.object({ index: z.int(), at: z.number(), id: z.string(), until: z.number().optional() }).nullable(),
  /** Records in the next portion. */
  rows: z.int(),
  findings: z.array(finding),
  failures: z.int(),
})

export type ChangePayload = z.infer<typeof payload>

/** Records in the first portion; how many the next ones have follows from how long it takes. */
export const rowsFirst = 50

/** A change of schemas, from its announcement to its end; one job each, whose id is that of its task. */
export const changeType: JobType<ChangePayload> = { name: 'schemas.change', payload }
