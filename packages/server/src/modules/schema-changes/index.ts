export { cleanKind } from './clean/job.ts'
export type { FollowSchemas } from './put-in-force.ts'
export { cancelSchemaChange, schemaChanges } from './service.ts'
export { changeKind } from './steps/job.ts'
