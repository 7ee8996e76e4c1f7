export { cleanKind } from './clean/job.ts'
export { cancelSchemaChange, schemaChanges } from './service.ts'
export { changeKind } from './steps/job.ts'
