export { listTargets } from './access-targets.ts'
export { entriesOfRecords } from './entries/store.ts'
export { listHandlers } from './handlers.ts'
export { listJobs } from './jobs.ts'
