import { suggestion, type ObjectSchemaDocument } from '@kontor/contract'
import { UsageError } from '../errors.ts'
import { CellFault, type MapOption, type MappingOptions, fieldOf, isToMany } from '@kontor/contract/cells'
import type { Destination, Importer } from './importer.ts'
import { compileEnd, type End } from './link-ends.ts'
import { LinkDelivery, type ReadyLink } from './link-delivery.ts'
import { LinkedRecords } from './linked-records.ts'
import { readSchema } from './records.ts'

export type LinksOptions = Pick<MappingOptions, 'maps' | 'notation' | 'createMissing'> & {
  readonly object: string
  /** The field of the object along which records are linked. */
  readonly relationship: string
  readonly dryRun: boolean
  readonly country: string | undefined
}

/** Imports rows as links between two records each. Throws a UsageError where the mapping does not fit. */
export async function linksImporter(
  options: LinksOptions,
  header: readonly string[],
  destination: Destination,
): Promise<Importer> {
  const { object, relationship, notation } = options
  const schema = await readSchema(destination, object)
  const other = await readSchema(destination, otherObject(schema, relationship))
  const { from, to, unused } = compileEnds(options, header, schema, other)
  const linkedRecords = new LinkedRecords({ ...destination, ...options })
  const counts = { linked: 0 }
  const delivery = new LinkDelivery({ ...destination, ...options, other: other.title, counts, linkedRecords })
  return {
    counts,
    createdLinked: linkedRecords.created,
    unused,
    async send(rows, reject) {
      const ready: ReadyLink[] = []
      for (const row of rows) {
        try {
          if (row.cells.length !== header.length)
            throw new CellFault(`The row has ${row.cells.length} cells, the first line ${header.length}.`)
          ready.push({ ...row, from: from(row.cells, notation), to: to(row.cells, notation) })
        } catch (error) {
          if (!(error instanceof CellFault)) throw error
          reject({ ...row, reason: error.message })
        }
      }
      await delivery.send(ready, reject)
    },
  }
}

/** The object at the other end of a relationship to many. */
function otherObject(schema: ObjectSchemaDocument, relationship: string): string {
  const field = fieldOf(schema, relationship)
  const many = Object.entries(schema.properties).flatMap(([name, one]) => (isToMany(one) ? [name] : []))
  if (field?.xSvcRelationship === undefined)
    throw new UsageError(
      `${schema.title} has no relationship "${relationship}".${suggestion(relationship, many)} ` +
        `Its relationships to many: ${many.join(', ') || 'none'}.`,
    )
  if (!isToMany(field))
    throw new UsageError(
      `"${relationship}" of ${schema.title} leads to one record; ` +
        `import it with the records: --map 'Column=${relationship}'.`,
    )
  return field.xSvcRelationship.entity
}

/** Fits the mapping to both ends; throws one UsageError that names everything that does not fit. */
function compileEnds(
  { maps, object, relationship, createMissing }: LinksOptions,
  header: readonly string[],
  schema: ObjectSchemaDocument,
  other: ObjectSchemaDocument,
): { readonly from: End; readonly to: End; readonly unused: readonly string[] } {
  const faults: string[] = []
  const mapsOf = (name: string): MapOption[] => maps.filter(({ field }) => field === name)
  const context = { header, createMissing, faults }
  const from = compileEnd(schema, object, mapsOf(object), context)
  const to = compileEnd(other, relationship, mapsOf(relationship), context)
  for (const { field } of maps)
    if (field !== object && field !== relationship)
      faults.push(`A link goes from "${object}" to "${relationship}"; "${field}" is neither.`)
  if (from === undefined || to === undefined || faults.length > 0)
    throw new UsageError([...faults, `Columns: ${header.join(', ')}`].join('\n'))
  const used = new Set([...from.columns, ...to.columns])
  return { from: from.read, to: to.read, unused: header.filter((_, index) => !used.has(index)) }
}
