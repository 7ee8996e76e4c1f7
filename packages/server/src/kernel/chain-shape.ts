import { z } from 'zod'

/** The chain of workflows that a job continues, in its payload: what a job does later still follows from a run. */
export const chainShape = z.object({ sender: z.string(), depth: z.int() })
