import { suggestionOrAllowed } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'
import { totalRecords } from '../counters/index.ts'
import { columnNames, findColumn, type ObjectModel } from '../objects/index.ts'
import { named } from './names.ts'
import { indexesMax, missingOf, requestIndexes } from './request.ts'
import { isBuiltInIndex, keyOf, kindsOf } from './rows.ts'
import { listIndexStates, type IndexName } from './store.ts'

type Fields = {
  readonly names: readonly string[]
  /** For filters by a part of a text, instead of filters by values and for sorting. */
  readonly forParts: boolean
}

type Fault = { readonly fault: string }

/**
 * Has the indexes of fields built before a list asks for them; returns those that are new, by the names of their
 * fields, or why none is built.
 */
export async function buildInAdvance(
  tx: Tx,
  workspaceId: string,
  object: ObjectModel,
  { names, forParts }: Fields,
  now: number,
): Promise<readonly IndexName[] | Fault> {
  const found = [...new Set(names)].map((name) => indexOf(object, name, forParts))
  const wrong = found.find((one) => 'fault' in one)
  if (wrong !== undefined) return wrong
  const known = await listIndexStates(tx, workspaceId, object.key)
  const missing = missingOf(found.filter(isIndex), known)
  if (missing.length === 0) return []
  if (known.length + missing.length > indexesMax)
    return { fault: `An object has at most ${indexesMax} such indexes; "${object.name}" has ${known.length}.` }
  const added = await requestIndexes(tx, workspaceId, missing, await totalRecords(tx, workspaceId, object.key), now)
  return added.map((index) => named(index, object))
}

const isIndex = (one: IndexName | Fault): one is IndexName => !('fault' in one)

function indexOf(object: ObjectModel, name: string, forParts: boolean): IndexName | Fault {
  const column = findColumn(object, name)
  if (column === undefined)
    return { fault: `"${object.name}" has no field "${name}".${suggestionOrAllowed(name, columnNames(object, false))}` }
  const kinds = kindsOf(column)
  const kind = kinds.find((one) => (one === 'grams') === forParts)
  // Ids and times are columns of the record itself.
  const isThere = kinds.length === 0 ? column.kind === 'system' : kind !== undefined && isBuiltInIndex(column, kind)
  if (isThere && !forParts) return { fault: `"${name}" is indexed from the first record on.` }
  if (kind === undefined)
    return { fault: `"${name}" has no index for ${forParts ? 'parts of a text' : 'values and for sorting'}.` }
  return { object: object.key, field: keyOf(column), kind }
}
