export { limitHandlers } from './handlers.ts'
