export { builtinObjects, userSchema } from './builtin/objects.ts'
export {
  schemaFeedId,
  findHighestVersion,
  insertSchemas,
  raiseEpoch,
  raiseEpochOfWrites,
  type OwnSettings,
} from './store.ts'
export {
  listFeedNames,
  holdSchemas,
  holdSettings,
  lockSchemas,
  readSchemas,
  SchemaSets,
  workspaceSchemas,
  workspaceSettings,
  type SchemaSet,
  type WorkspaceSchemas,
  serverContext,
} from './service.ts'
export { schemaHandlers } from './handlers.ts'
export type { OptionsChange, OptionsResult, SchemaChanges, SchemaContext, Sent } from './changes.ts'
export {
  linkEndBetween,
  firstSchema,
  storedSchema,
  visibilityOf,
  type FieldKey,
  type LinkEnd,
  type SchemaKeys,
  type Clearing,
  type SchemaDocument,
  type StoredSchema,
} from './model.ts'
export { schemaUrl } from './present.ts'
