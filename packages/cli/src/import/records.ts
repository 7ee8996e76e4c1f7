import { schemas, type ObjectSchemaDocument } from '@kontor/contract'
import { UsageError } from '../errors.ts'
import { Delivery, type ReadyRow } from './delivery.ts'
import type { Destination, Importer } from './importer.ts'
import { LinkedRecords } from './linked-records.ts'
import {
  type LinkedSchemas,
  type Mapping,
  type MappingOptions,
  compileMapping,
  linkedObjects,
  MappingFault,
} from '@kontor/contract/cells'
import { proposalInWords } from './proposal.ts'
import { persist } from './persist.ts'

export type RecordsOptions = MappingOptions & {
  readonly object: string
  readonly country: string | undefined
  readonly dryRun: boolean
  readonly run: string
}

/** Imports rows as records of an object. Throws a UsageError where the mapping does not fit. */
export async function recordsImporter(
  options: RecordsOptions,
  header: readonly string[],
  destination: Destination,
): Promise<Importer> {
  const { object, clearEmpty, createMissing } = options
  const schema = await readSchema(destination, object)
  if (options.maps.length === 0) throw new UsageError(proposalInWords(header, schema))
  const linked = await readSchemas(destination, linkedObjects(options.maps, schema))
  const mapping = fitMapping(options, header, schema, linked)
  const linkedRecords = createMissing ? new LinkedRecords({ ...destination, ...options }) : undefined
  const counts = { created: 0, updated: 0, unchanged: 0 }
  const delivery = new Delivery({
    ...options,
    ...destination,
    counts,
    linkedRecords,
    // An empty cell among others takes away what it once held, and nothing says what that was.
    replaced: clearEmpty ? mapping.gathered : [],
  })
  return {
    counts,
    createdLinked: linkedRecords?.created ?? new Map(),
    unused: mapping.unused,
    async send(rows, reject) {
      const ready: ReadyRow[] = []
      for (const row of rows) {
        const mapped = mapping.map(row.cells)
        if ('faults' in mapped) reject({ ...row, reason: mapped.faults.join(' ') })
        else ready.push({ ...row, ...mapped })
      }
      await delivery.send(ready, reject)
    },
  }
}

function fitMapping(...given: Parameters<typeof compileMapping>): Mapping {
  try {
    return compileMapping(...given)
  } catch (error) {
    throw error instanceof MappingFault ? new UsageError(error.message, { cause: error }) : error
  }
}

export const readSchema = async (
  { rest, workspace, persistence }: Destination,
  object: string,
): Promise<ObjectSchemaDocument> =>
  (await persist(() => rest.call(schemas.get, { workspace, object }), persistence)).body.data.attributes

/** Reads the schemas of some objects; one that the caller may not see is a failure of the whole. */
async function readSchemas(destination: Destination, objects: readonly string[]): Promise<LinkedSchemas> {
  const documents = await Promise.all(objects.map((name) => readSchema(destination, name)))
  return new Map(documents.map((document, index) => [objects[index] ?? '', document]))
}
