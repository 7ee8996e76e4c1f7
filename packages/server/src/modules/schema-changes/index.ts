export { schemaChanges } from './service.ts'
