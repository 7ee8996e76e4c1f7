export { relationshipHandlers } from './handlers.ts'
