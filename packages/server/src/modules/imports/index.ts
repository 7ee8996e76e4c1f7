export { cancelImport, importHandlers } from './handlers.ts'
export { importJob } from './job.ts'
export { revertJob } from './revert/service.ts'
export { importUpkeep } from './ends.ts'
