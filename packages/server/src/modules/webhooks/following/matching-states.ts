import type { ReadTx } from '../../../db/tx.ts'
import { lookUpStates } from '../../../db/expressions.ts'
import type { RecordData } from '../../fields/index.ts'
import type { ObjectModel } from '../../objects/index.ts'
import { type ResolvedFilter, filterCondition } from '../../filters/index.ts'

/** A record as it was at some time, live or deleted now. */
export type RecordState = { readonly id: string; readonly data: RecordData }

/** Characters of states that one statement reads: with fifty conditions, less than a second. */
const portionCharacters = 1_000_000

/** States of fewer characters are read on SQLite in this process, with fifty conditions in some 50 ms. */
const smallCharacters = 100_000

type Test = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly filter: ResolvedFilter
}

/**
 * Returns the positions of those states of records that match a filter, by the same conditions as lists of records.
 * Conditions on other records are checked against their present state. The caller has decided who may see the records.
 */
export async function matchingStates(
  tx: ReadTx,
  { workspaceId, object, filter }: Test,
  states: readonly RecordState[],
): Promise<ReadonlySet<number>> {
  const matching = new Set<number>()
  let begun = 0
  for (const { some, isLarge } of portionsOf(states)) {
    const rows = await tx.query<{ position: number }>(
      (sql) =>
        sql.knex
          .select('r.position')
          .from(lookUpStates(sql, { workspaceId, object: object.key, states: some }, 'r'))
          .where(filterCondition(sql, filter)),
      { heavy: isLarge },
    )
    for (const { position } of rows) matching.add(begun + position)
    begun += some.length
  }
  return matching
}

type Portion = { readonly some: readonly RecordState[]; readonly isLarge: boolean }

/** Splits states, so that no statement reads much more than a portion: each of fifty conditions may read all of it. */
function portionsOf(states: readonly RecordState[]): Portion[] {
  const portions: Portion[] = []
  let some: RecordState[] = []
  let characters = 0
  for (const state of states) {
    some.push(state)
    characters += JSON.stringify(state.data).length
    if (characters < portionCharacters) continue
    portions.push({ some, isLarge: true })
    some = []
    characters = 0
  }
  return some.length === 0 ? portions : [...portions, { some, isLarge: characters > smallCharacters }]
}
