import { defined } from './guards.ts'
import { nextTurn } from './next-turn.ts'
import { mapInPortions } from './portions.ts'

/** Items that are sorted at once, or merged: some milliseconds of work. */
const atOnce = 5000

type Compare<T> = (one: T, other: T) => number

/** Sorts a long list in portions, between which other work of the process has its turn; a short one is one portion. */
export async function sortInPortions<T>(items: readonly T[], compare: Compare<T>): Promise<readonly T[]> {
  if (items.length <= atOnce) return items.toSorted(compare)
  const starts = Array.from({ length: Math.ceil(items.length / atOnce) }, (_, index) => index * atOnce)
  let runs = await mapInPortions(starts, (start) => items.slice(start, start + atOnce).toSorted(compare))
  while (runs.length > 1) {
    const merged: T[][] = []
    for (let at = 0; at < runs.length; at += 2) merged.push(await merge(runs[at] ?? [], runs[at + 1] ?? [], compare))
    runs = merged
  }
  return runs[0] ?? []
}

async function merge<T>(one: readonly T[], other: readonly T[], compare: Compare<T>): Promise<T[]> {
  const all: T[] = []
  let taken = 0
  for (const [index, item] of one.entries()) {
    if (index > 0 && index % atOnce === 0) await nextTurn()
    const from = taken
    while (taken < other.length && compare(defined(other[taken]), item) < 0) taken++
    for (const before of other.slice(from, taken)) all.push(before)
    all.push(item)
  }
  return all.concat(other.slice(taken))
}
