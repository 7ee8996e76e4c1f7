import {
  linkedObject,
  linkedObjects,
  MappingFault,
  readTarget,
  type LinkedSchemas,
  type MapOption,
} from '@kontor/contract/cells'
import { dialectUrl, suggestion, type ObjectSchemaDocument } from '@kontor/contract'
import type { WorkspaceSchemas } from '../schemas/index.ts'
import { memberFaults } from './members.ts'
import { compileRows, type RowMapping } from './rows-mapping.ts'
import type { FileShape } from './reading/shape.ts'
import type { TrialMapping } from './reading/preview.ts'
import type { ImportOptions, ImportRow } from './store.ts'

/** The documents of the schemas of a workspace, by the names of objects. */
type Documents = (object: string) => ObjectSchemaDocument | undefined

type FileOptions = Pick<
  ImportOptions,
  'mapping' | 'relationship' | 'match_on' | 'clear_empty' | 'create_missing' | 'separator'
> & {
  readonly [K in 'dates' | 'decimal']?: ImportOptions[K] | undefined
}

/** Returns what is said of a mapping, by the schemas of this moment. */
export function trialMapping(documents: Documents, object: string, options: FileOptions): TrialMapping {
  const schema = documents(object)
  if (schema === undefined) throw new MappingFault([`The object "${object}" no longer exists.`])
  const { separator, dates, decimal } = options
  const maps = options.mapping === undefined ? null : targetsOf(options.mapping)
  const linked: LinkedSchemas = new Map(
    linkedObjects(maps ?? [], schema).flatMap((name) => {
      const document = documents(name)
      return document === undefined ? [] : [[name, document]]
    }),
  )
  return {
    maps,
    schema,
    linked,
    links: linksOf(documents, schema, options),
    matchOn: options.match_on,
    clearEmpty: options.clear_empty,
    createMissing: options.create_missing,
    notation: { separator, ...(dates !== undefined && { dates }), ...(decimal !== undefined && { decimal }) },
  }
}

/** Returns the relationship of a file of links, and the schema at its other end. */
function linksOf(
  documents: Documents,
  schema: ObjectSchemaDocument,
  { relationship, mapping }: FileOptions,
): TrialMapping['links'] {
  if (relationship === undefined) return undefined
  const other = documents(linkedObject(schema, relationship))
  if (other === undefined) throw new MappingFault([`You may not see the records that "${relationship}" leads to.`])
  if (mapping === undefined)
    throw new MappingFault([`Map a column to each end of the links: "${schema.title}" and "${relationship}".`])
  return { relationship, other }
}

type Mapped = Pick<ImportRow, 'object' | 'shape' | 'options'>

/** Returns the mapping of an import by the schemas of this moment; throws a MappingFault where it does not fit. */
export function rowMapping(documents: Documents, { object, shape, options }: Mapped): RowMapping {
  const mapping: RowMapping = trialMapping(documents, object, options)
  requireFit(mapping, shape)
  return mapping
}

function targetsOf(mapping: NonNullable<ImportOptions['mapping']>): MapOption[] {
  const wrong = mapping.filter(({ source, field }) => readTarget(source, field) === undefined)
  if (wrong.length > 0)
    throw new MappingFault(
      wrong.map(({ field }) => `"${field}" is not a field; write the name of a field, or of a part: name.first_name.`),
    )
  return mapping.flatMap(({ source, field }) => readTarget(source, field) ?? [])
}

function requireFit(mapping: RowMapping, { format, header }: FileShape): void {
  const { maps, schema, linked } = mapping
  if (format !== 'ndjson') {
    if (maps === null) throw new MappingFault(['The file requires a mapping of its columns to fields.'])
    compileRows(mapping, header)
    return
  }
  const faults = memberFaults(maps ?? [], schema, linked)
  for (const { source } of maps ?? [])
    if (!header.includes(source))
      faults.push(`The first lines have no member "${source}".${suggestion(source, header)}`)
  if (faults.length > 0) throw new MappingFault(faults)
}

/** The documents of the schemas of a workspace. */
export const documentsOf =
  (schemas: WorkspaceSchemas): Documents =>
  (object) => {
    const document = schemas.get(object)?.document
    return document && { ...document, $schema: dialectUrl, $id: document.$id ?? object }
  }
