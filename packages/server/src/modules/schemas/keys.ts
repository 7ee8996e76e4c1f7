import type { ObjectSchemaDocument } from '@kontor/contract'

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
