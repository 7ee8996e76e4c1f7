import type { Json } from '../../harness/http.ts'
import { canonical, seenRecord } from './answers.ts'
import type { Part, Pool } from './operations.ts'
import type { State } from './state.ts'

export const shown = (state: State, id: string): Json => ({ id, attributes: state.attributes(id) })

/**
 * A page of records: their ids and their number are read by a statement each, and then the records by another, which
 * asks
 * again and leaves out those that are gone by then.
 */
export function pageParts(
  pool: Pool,
  { data, meta }: Json,
  idsIn: (state: State) => readonly string[],
  isThere: (state: State, id: string) => boolean = (state, id) => state.links.isLive(id),
): Part[] {
  const ids: string[] = data.map(({ id }: Json) => id)
  const seen = data.map(seenRecord).map((one: Json) => pool.read(one))
  const expected = (state: State) => ids.map((id) => (state.records.has(id) ? pool.read(shown(state, id)) : null))
  const page = `page ${pool.serial()}`
  return [
    {
      seen: ids,
      expected: idsIn,
      step(state) {
        const all = idsIn(state)
        const left = all.filter((id) => !ids.includes(id))
        const isPart = canonical(all.filter((id) => ids.includes(id))) === canonical(ids)
        return isPart ? withLeaving(state, page, left) : undefined
      },
    },
    { seen: meta.total_records, expected: (state) => idsIn(state).length },
    {
      seen,
      expected,
      step(state) {
        const left = state.leaving.get(page)
        const isRest = left !== undefined && !left.some((id) => isThere(state, id))
        return isRest && canonical(expected(state)) === canonical(seen)
          ? withLeaving(state, page, undefined)
          : undefined
      },
    },
  ]
}

function withLeaving(state: State, page: string, ids: readonly string[] | undefined): State {
  const next = state.copy()
  if (ids === undefined) next.leaving.delete(page)
  else next.leaving.set(page, ids)
  return next
}
