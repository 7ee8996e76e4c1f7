import type { ReadTx } from '../../../db/tx.ts'
import { lookUpStates } from '../../../db/expressions.ts'
import type { RecordData } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { type ResolvedFilter, filterCondition } from '../../filters/index.ts'

/** A record as it was at some time, live or deleted now. */
export type RecordState = { readonly id: string; readonly data: RecordData }

type Test = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly filter: ResolvedFilter
}

/**
 * Returns the positions of those states of records that match a filter, by the same conditions as lists of records.
 * What a filter asks of other records is what those are now. The caller has decided who may see the records.
 */
export async function matchingStates(
  tx: ReadTx,
  { workspaceId, object, filter }: Test,
  states: readonly RecordState[],
): Promise<ReadonlySet<number>> {
  if (states.length === 0) return new Set()
  const rows = await tx.query<{ position: number }>((sql) =>
    sql.knex
      .select('r.position')
      .from(lookUpStates(sql, { workspaceId, object: object.key, states }, 'r'))
      .where(filterCondition(sql, filter)),
  )
  return new Set(rows.map(({ position }) => position))
}
