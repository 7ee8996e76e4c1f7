import { cleanList } from './clean.ts'
import type { EvaluationServices } from './evaluate/settle.ts'
import { evaluateList } from './evaluate/whole.ts'

/** The background jobs of lists. */
export const listJobs = (services: EvaluationServices) => [cleanList, evaluateList(services)] as const
