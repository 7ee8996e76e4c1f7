import type { ObjectSchemaDocument } from '@kontor/contract'
import { plainKeys, type SchemaKeys } from './keys.ts'

/**
 * A schema document as it is stored. `$schema` and `$id` keep their position in it but are answered with this server's
 * values; if they are missing they come first.
 */
export type SchemaDocument = Omit<ObjectSchemaDocument, '$schema' | '$id'> & {
  readonly $schema?: string
  readonly $id?: string
}

/**
 * A schema as the server works with it: its document, the defaults that the document omits, and the keys of its stored
 * values.
 */
export type StoredSchema = SchemaDocument & {
  readonly xSvcAccess: NonNullable<SchemaDocument['xSvcAccess']>
  readonly document: SchemaDocument
  readonly keys: SchemaKeys
  /** True if its records may be private on their own, as meetings may by their `visibility`. */
  readonly mayHide: boolean
  readonly version: number
  /**
   * The number of the set of schemas that it was read in; 0 if it is in none yet. Names derived from it are always new.
   */
  readonly epoch: number
  /** Access levels granted on all of its records, by grantee; the workspace is a grantee under its own id. */
  readonly grants?: ReadonlyMap<string, number>
  /**
   * The pending version of the object, in force once every record fits it; until then writes must satisfy both
   * versions.
   */
  readonly announced?: StoredSchema
  /** Removed options that records still have; answers hide them. */
  readonly clearing?: Clearing
}

/** Options by the key of their field. */
export type Clearing = Readonly<Record<string, readonly string[]>>

/** The field that stores the visibility of a meeting. A workspace's own field of that name has another key. */
const visibilityKey = 'visibility'

/** The name of an object's visibility field, if it has one (docs/decisions/0134). */
export const visibilityOf = ({ object, fields }: SchemaKeys): string | undefined =>
  object === 'meeting' ? Object.keys(fields).find((name) => fields[name]?.key === visibilityKey) : undefined

/** The default access of members to the records of an object whose schema does not state it. */
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

/** The first version of an object: everything is stored under its own name. */
export const firstSchema = (document: SchemaDocument): StoredSchema => storedSchema(document, plainKeys(document), 1)
