export { commentHandlers } from './handlers.ts'
export { commentsOfRecords, listAuthors } from './store.ts'
