import type { ObjectSchemaDocument } from '@kontor/contract'

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

/** The relationship that stores a field's links, and the end at which the field's own records are. */
export type LinkEnd = { readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** The names under which the values of a field are stored. They never change, whatever the field is called. */
export type FieldKey = {
  /** Its member in the stored records, and its name in the index tables. */
  readonly key: string
  /** Its name in the claims of unique values, if it is not the key: claims are rebuilt when it becomes unique again. */
  readonly unique?: string
  /** Its name in the field index, if it is not the key: values of another type are reindexed. */
  readonly index?: string
  /** For relationships only. */
  readonly link?: LinkEnd
}

/**
 * The names under which an object and its fields are stored, beside its document. A renamed field keeps its key, and
 * the key of a dropped field is not reused, so a new field under an old name never meets old values. The same holds for
 * objects.
 */
export type SchemaKeys = { readonly object: string; readonly fields: Readonly<Record<string, FieldKey>> }

/** The keys of an object that was never changed: everything is stored under its own name. */
export function plainKeys(document: Pick<ObjectSchemaDocument, 'title' | 'properties'>): SchemaKeys {
  const entries = Object.entries(document.properties).map(([name, { xSvcRelationship: to }]): [string, FieldKey] => {
    if (to === undefined) return [name, { key: name }]
    return [name, { key: name, link: linkEndBetween(to.kind, `${document.title}.${name}`, `${to.entity}.${to.field}`) }]
  })
  return { object: document.title, fields: Object.fromEntries(entries) }
}

/**
 * A reference's links go from its own object; two counterpart many-to-many fields share the links of the one that sorts
 * first.
 */
export function linkEndBetween(kind: string, own: string, other: string): LinkEnd {
  if (kind === 'one-to-many') return { relationship: other, end: 'to_id' }
  return kind === 'many-to-many' && other < own
    ? { relationship: other, end: 'to_id' }
    : { relationship: own, end: 'from_id' }
}
