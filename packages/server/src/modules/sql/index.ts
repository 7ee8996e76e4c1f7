export { sqlHandlers } from './handlers.ts'
