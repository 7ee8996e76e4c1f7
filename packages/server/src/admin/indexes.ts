import type { Database } from '../db/tx.ts'
import type { Clock } from '../kernel/clock.ts'
import { totalRecords } from '../modules/counters/index.ts'
import {
  indexesMax,
  isBuiltInIndex,
  keyOf,
  kindsOf,
  listIndexStates,
  requestIndexes,
  type IndexName,
} from '../modules/indexes/index.ts'
import { compileObject, findColumn, type ObjectModel } from '../modules/objects/index.ts'
import { readSchemas } from '../modules/schemas/index.ts'
import { AdminError } from './error.ts'
import { requireWorkspace } from './people.ts'

/** Indexes to be built before anybody needs them. */
export type IndexRequest = {
  readonly workspace: string
  /** The name of the object. */
  readonly object: string
  readonly fields: readonly string[]
  /** For filters by a part of a text, instead of filters by values and for sorting. */
  readonly forParts: boolean
}

/** Has indexes built; returns those that are new. */
export async function buildIndexes(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  { workspace: slug, object: name, fields, forParts }: IndexRequest,
): Promise<IndexName[]> {
  const { id } = await requireWorkspace(database.reader, slug)
  const { schemas } = await readSchemas(database.reader, id)
  const schema = schemas.get(name)
  if (schema === undefined)
    throw new AdminError(
      `There is no object "${name}". The workspace has ${[...schemas.keys()].toSorted().join(', ')}.`,
    )
  const object = compileObject(schema)
  const names = fields.map((field) => indexOf(object, field, forParts))
  return database.write(async (tx) => {
    const known = await listIndexStates(tx, id, object.key)
    if (known.length + names.length > indexesMax)
      throw new AdminError(`An object has at most ${indexesMax} indexes of fields; "${name}" has ${known.length}.`)
    return requestIndexes(tx, id, names, await totalRecords(tx, id, object.key), clock.now())
  })
}

/** Returns the index of a field that is asked for; throws a sentence for the operator where there can be none. */
function indexOf(object: ObjectModel, name: string, forParts: boolean): IndexName {
  const column = findColumn(object, name)
  if (column === undefined) throw new AdminError(`"${object.name}" has no field "${name}".`)
  const kinds = kindsOf(column)
  const kind = kinds.find((one) => (one === 'grams') === forParts)
  // Ids and times are columns of the record itself.
  if (!forParts && (kinds.length === 0 ? column.kind === 'system' : kind !== undefined && isBuiltInIndex(column, kind)))
    throw new AdminError(`"${name}" is indexed from the first record on.`)
  if (kind === undefined)
    throw new AdminError(`"${name}" has no index for ${forParts ? 'parts of a text' : 'values and for sorting'}.`)
  return { object: object.key, field: keyOf(column), kind }
}
