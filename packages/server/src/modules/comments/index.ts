export { commentHandlers } from './handlers.ts'
export { commentsOfRecords } from './store.ts'
