import type { ObjectSchemaDocument } from '@kontor/contract'

/** Where the links of a field are kept, and at which end of them its own records stand. */
export type LinkPlace = { readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** Under which names the values of a field are stored. They never change, whatever the field is called. */
export type FieldKey = {
  /** Member of the stored records, and of the names in the index tables. */
  readonly key: string
  /** Its name in the claims of unique values, where it is not the key: claims are made anew when it becomes unique again. */
  readonly unique?: string
  /** Its name in the field index, where it is not the key: values of another type are indexed anew. */
  readonly index?: string
  /** Only of relationships. */
  readonly link?: LinkPlace
}

/**
 * The names under which an object and its fields are stored, beside its document. A field that is renamed keeps its key,
 * and one that is dropped leaves its key to nobody: whoever comes back under an old name never meets old values. The same
 * holds for objects.
 */
export type SchemaKeys = { readonly object: string; readonly fields: Readonly<Record<string, FieldKey>> }

/** The keys of an object that was never changed: everything is stored as it is called. */
export function plainKeys(document: Pick<ObjectSchemaDocument, 'title' | 'properties'>): SchemaKeys {
  const entries = Object.entries(document.properties).map(([name, { xSvcRelationship: to }]): [string, FieldKey] => {
    if (to === undefined) return [name, { key: name }]
    return [name, { key: name, link: linkPlace(to.kind, `${document.title}.${name}`, `${to.entity}.${to.field}`) }]
  })
  return { object: document.title, fields: Object.fromEntries(entries) }
}

/** A reference's links go from its own object; a pair of many-to-many fields shares the links of the one that sorts first. */
export function linkPlace(kind: string, own: string, other: string): LinkPlace {
  if (kind === 'one-to-many') return { relationship: other, end: 'to_id' }
  return kind === 'many-to-many' && other < own
    ? { relationship: other, end: 'to_id' }
    : { relationship: own, end: 'from_id' }
}
