import { cleanList } from './clean.ts'
import type { EvaluationServices } from './evaluate/settle.ts'
import { evaluateList } from './evaluate/whole.ts'

/** What is done for lists in the background. */
export const listJobs = (services: EvaluationServices) => [cleanList, evaluateList(services)] as const
