import {
  compileLinks,
  compileMapping,
  type LinkedSchemas,
  type Mapping,
  type MappingOptions,
} from '@kontor/contract/cells'
import type { ObjectSchemaDocument } from '@kontor/contract'

/** The mapping of the rows of a file to records. */
export type RowMapping = Omit<MappingOptions, 'maps'> & {
  readonly maps: MappingOptions['maps'] | null
  readonly schema: ObjectSchemaDocument
  readonly linked: LinkedSchemas
  /** The relationship of a file of links, and the schema at its other end. */
  readonly links?: { readonly relationship: string; readonly other: ObjectSchemaDocument } | undefined
}

/** Fits a mapping to the columns of a file; throws a MappingFault where it does not. */
export function compileRows(
  { schema, linked, links, maps, ...options }: RowMapping,
  header: readonly string[],
): Mapping {
  if (links === undefined) return compileMapping({ ...options, maps: maps ?? [] }, header, schema, linked)
  const { relationship, other } = links
  return compileLinks({ ...options, maps: maps ?? [], object: schema.title, relationship }, header, schema, other)
}
