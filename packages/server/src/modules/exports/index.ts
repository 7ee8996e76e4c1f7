export { cancelExport, exportHandlers } from './handlers.ts'
export { exportJob } from './job.ts'
export { exportUpkeep } from './ends.ts'
export { exportJobVerification } from './verification.ts'
