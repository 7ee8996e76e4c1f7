export { resourceHandlers } from './handlers.ts'
