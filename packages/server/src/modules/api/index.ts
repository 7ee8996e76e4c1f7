export { apiHandlers } from './handlers.ts'
