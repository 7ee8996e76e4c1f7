import { cleanList } from './clean.ts'

/** What is done for lists in the background. */
export const listJobs = [cleanList]
