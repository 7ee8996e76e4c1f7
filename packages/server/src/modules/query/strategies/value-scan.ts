import type { ReadTx } from '../../../db/tx.ts'
import { handled } from '../../../lib/promises.ts'
import type { RecordRow } from '../../objects/index.ts'
import { foundMax, valueCounts, valueScans } from '../access-paths/store.ts'
import { valueLookupOf, type ValueLookup } from '../access-paths/value-lookup.ts'
import { isByCreation, isById, isDescending, type ListQuery, type PageRow } from '../list-query.ts'
import { isKept, keptTotal } from '../totals/kept-total.ts'
import type { Total } from '../totals/total.ts'
import { lightRowsMax } from './page-by-keys.ts'
import { planOf, sortColumns, type ListStrategy } from './strategy.ts'

/**
 * Reads the records that have one value from the index that holds it, in its order: that of the ids, and so of the
 * creation (docs/decisions/0146). One statement reads the page and counts the matches, unless they are many.
 */
export const valueScan: ListStrategy = {
  tryPlan({ query, scope, idsInOrder, keptTotals }) {
    const isInOrder = isById(query) || (isByCreation(query) && idsInOrder)
    const lookup = isInOrder ? valueLookupOf(query, scope.usable) : undefined
    if (lookup === undefined) return undefined
    const scan = new ValueScan(lookup)
    const large = keptTotal(keptTotals, largeTotal(lookup))
    return planOf(
      {
        page: (tx, page) => scan.page(tx, page),
        explain: (list) => `Finds the records by ${lookup.label}, which has them by ${sortColumns(list)}.`,
      },
      {
        // A total that was counted before was too large for the statement of the page, and need not wait for it.
        count: async (tx, list) => (isKept(keptTotals, list) ? undefined : await scan.found()) ?? large.count(tx, list),
        explain: () => 'The total is the number of records found.',
      },
    )
  },
}

const largeTotal = ({ kind, name, value }: ValueLookup): Pick<Total, 'count'> => ({
  async count(tx, { workspaceId }) {
    const [row] = await tx.all(valueCounts[kind], { workspace_id: workspaceId, name, value }, { heavy: true })
    return row?.total ?? 0
  },
})

/** Before and after every record. */
const [firstId, lastId] = ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'] as const

type Scanned = { readonly found: number; readonly rows: readonly RecordRow[] }

/** The scan of one list. The statement of its first page also counts, so the total waits for it. */
class ValueScan {
  readonly #lookup: ValueLookup
  #first: Promise<Scanned> | undefined

  constructor(lookup: ValueLookup) {
    this.#lookup = lookup
  }

  async page(tx: ReadTx, query: ListQuery): Promise<PageRow[]> {
    const scanned = handled(this.#read(tx, query))
    this.#first ??= scanned
    const { rows } = await scanned
    const sign = isDescending(query.sort) ? -1 : 1
    return rows
      .toSorted((a, b) => (a.id < b.id ? -sign : sign))
      .map((row) => ({ ...row, sorted: [isById(query) ? row.id : row.created_at] }))
  }

  /** The number of matches, unless they are many or no page is read. */
  async found(): Promise<number | undefined> {
    const found = (await this.#first)?.found
    return found !== undefined && found <= foundMax ? found : undefined
  }

  async #read(tx: ReadTx, { workspaceId, object, sort, position, offset, limit }: ListQuery): Promise<Scanned> {
    const { kind, name, value } = this.#lookup
    const isBackward = position?.direction === 'before'
    const isAscending = isDescending(sort) === isBackward
    const [after, before] = isAscending ? [position?.at.id, undefined] : [undefined, position?.at.id]
    const skipped = position === undefined ? offset : 0
    const found = await tx.all(
      valueScans[kind][isAscending ? 'asc' : 'desc'],
      {
        workspace_id: workspaceId,
        object: object.key,
        name,
        value,
        after: after ?? firstId,
        before: before ?? lastId,
        rows: limit + 1,
        offset: skipped,
      },
      { heavy: limit + 1 > lightRowsMax || skipped > 0 },
    )
    return { found: found[0]?.found ?? 0, rows: found.filter((row) => row.id !== null) }
  }
}
