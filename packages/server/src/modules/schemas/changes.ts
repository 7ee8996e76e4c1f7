import type {
  AsyncTaskResource,
  Input,
  NewFieldSchema,
  NewObject,
  ObjectSchemaInput,
  Output,
  SchemaPlan,
  schemas,
} from '@kontor/contract'
import type { WorkspaceReadContext, WriteContext } from '../../kernel/implement.ts'
import type { StoredSchema } from './model.ts'

type Path = readonly (string | number)[]

/** Input of an endpoint: checked by the contract, in the order in which it was written, with its path in the body. */
export type Sent<T> = { readonly value: T; readonly path: Path }

export type SchemaContext = WriteContext<'schema_modification_in_progress'>

type Fields = Readonly<Record<string, NewFieldSchema>>
export type OptionsChange = Input<typeof schemas.updateOptions>['body']['data'][number]
export type OptionsResult = Output<typeof schemas.updateOptions>['data'][number]

/** Changing schemas is the work of a higher-level module, which knows the records; `app.ts` injects it. */
export type SchemaChanges = {
  readonly create: (ctx: SchemaContext, given: Sent<NewObject>) => Promise<StoredSchema>
  readonly replace: (ctx: SchemaContext, object: string, given: Sent<ObjectSchemaInput>) => Promise<AsyncTaskResource>
  readonly remove: (ctx: SchemaContext, object: string) => Promise<AsyncTaskResource>
  readonly plan: (ctx: WorkspaceReadContext, object: string, given: Sent<ObjectSchemaInput>) => Promise<SchemaPlan>
  readonly addProperties: (ctx: SchemaContext, object: string, given: Sent<Fields>) => Promise<void>
  /** By object, the field at each end. */
  readonly addRelationship: (
    ctx: SchemaContext,
    object: string,
    given: Sent<Readonly<Record<string, Fields>>>,
  ) => Promise<void>
  readonly removeRelationship: (ctx: SchemaContext, object: string, field: string) => Promise<AsyncTaskResource>
  readonly updateOptions: (ctx: SchemaContext, given: Sent<OptionsChange>) => Promise<OptionsResult>
  readonly reorder: (ctx: SchemaContext, object: string, given: Sent<readonly string[]>) => Promise<void>
  readonly show: (ctx: SchemaContext, object: string, given: Sent<Readonly<Record<string, boolean>>>) => Promise<void>
}
