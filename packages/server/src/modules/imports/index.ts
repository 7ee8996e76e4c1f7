export { cancelImport, importHandlers } from './handlers.ts'
export { importJob } from './job.ts'
export { revertJob } from './revert/job.ts'
export { importUpkeep } from './upkeep.ts'
