export { builtinObjects, userSchema } from './builtin/objects.ts'
export { schemaFeedId } from './feed-id.ts'
export { listFeedNames } from './feeds.ts'
export { schemaHandlers } from './handlers.ts'
export type { OptionsChange, OptionsResult, SchemaChanges, SchemaContext, Sent } from './changes.ts'
export { linkEndBetween, type FieldKey, type LinkEnd, type SchemaKeys } from './keys.ts'
export {
  firstSchema,
  storedSchema,
  visibilityOf,
  type Clearing,
  type SchemaDocument,
  type StoredSchema,
} from './model.ts'
export { schemaUrl } from './present.ts'
export { serverContext } from './server-context.ts'
export {
  holdSchemas,
  lockSchemas,
  readSchemas,
  SchemaSets,
  type SchemaSet,
  workspaceSchemas,
  type WorkspaceSchemas,
} from './service.ts'
export { findHighestVersion, insertSchemas, raiseEpoch } from './store.ts'
