import type { ObjectSchemaDocument } from '@kontor/contract'
import { plainKeys, type SchemaKeys } from './keys.ts'

/**
 * A schema document as it is stored. `$schema` and `$id` stand in it where they were written, but are answered with as
 * this server has them; where they are missing they come first.
 */
export type SchemaDocument = Omit<ObjectSchemaDocument, '$schema' | '$id'> & {
  readonly $schema?: string
  readonly $id?: string
}

/** A schema as the server works with it: its document, what the document leaves out, and where its values are stored. */
export type StoredSchema = SchemaDocument & {
  readonly xSvcAccess: NonNullable<SchemaDocument['xSvcAccess']>
  readonly document: SchemaDocument
  readonly keys: SchemaKeys
  /** Whether its records may be private by themselves, as meetings may by their `visibility`. */
  readonly mayHide: boolean
  readonly version: number
  /** The number of the set of schemas that it was read in; 0 where it is in none yet. What is named after it was never there before. */
  readonly epoch: number
  /** Levels that are granted on all of its records, by grantee; of the workspace by its own id. */
  readonly grants?: ReadonlyMap<string, number>
  /** What the object shall be, once every record is found to fit: until then whoever writes keeps to both. */
  readonly announced?: StoredSchema
  /** Options that are none any more and that records still have: nobody sees them. */
  readonly clearing?: Clearing
}

/** By the key of a field, options. */
export type Clearing = Readonly<Record<string, readonly string[]>>

/** Where meetings say who may see them. A field that a workspace adds by that name is stored under another one. */
const visibilityKey = 'visibility'

/** The name of the field by which records say who may see them, where an object has it (docs/decisions/0134). */
export const visibilityOf = ({ object, fields }: SchemaKeys): string | undefined =>
  object === 'meeting' ? Object.keys(fields).find((name) => fields[name]?.key === visibilityKey) : undefined

/** What members may do with the records of an object whose schema does not say. */
const usualAccess = { default: 'edit' } as const

export const storedSchema = (document: SchemaDocument, keys: SchemaKeys, version: number, epoch = 0): StoredSchema => ({
  ...document,
  xSvcAccess: document.xSvcAccess ?? usualAccess,
  document,
  keys,
  mayHide: visibilityOf(keys) !== undefined,
  version,
  epoch,
})

/** The first state of an object: everything is stored as it is called. */
export const firstSchema = (document: SchemaDocument): StoredSchema => storedSchema(document, plainKeys(document), 1)
