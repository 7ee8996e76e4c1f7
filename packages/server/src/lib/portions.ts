import { defined } from './guards.ts'
import { nextTurn } from './next-turn.ts'

/** Items of one portion, which are some milliseconds of work. */
export const portionItems = 250

/** Lets other work have its turn between two steps of large work, each of which works on all items at once. */
export async function betweenSteps(items: unknown): Promise<void> {
  if (Array.isArray(items) && items.length > portionItems) await nextTurn()
}

/** Weight of one portion, where items have one: ten short values for each item. */
const portionWeight = 10 * portionItems

/**
 * Works on items in portions, between which other work of the process has its turn; few are one portion. Items that are
 * large by their weight make smaller portions.
 */
export async function inPortions<T>(
  items: readonly T[],
  work: (portion: readonly T[], start: number) => Promise<void>,
  weigh: (item: T) => number = () => 0,
): Promise<void> {
  for (let start = 0, end = 0; start < items.length; start = end) {
    if (start > 0) await nextTurn()
    for (let weight = 0; end < items.length && end - start < portionItems && weight < portionWeight; end++)
      weight += weigh(defined(items[end]))
    await work(items.slice(start, end), start)
  }
}

/** Characters of a text that cost as much as a short value. */
const charactersOfValue = 64

/** Returns the weight of a value: of all values in it, and of long texts. */
export function weightOf(value: unknown): number {
  if (typeof value === 'string') return 1 + value.length / charactersOfValue
  if (typeof value !== 'object' || value === null) return 1
  return Object.values(value).reduce((sum: number, member) => sum + weightOf(member), 1)
}

/** Milliseconds that items of one portion may take, if they are not equally large. */
const portionMs = 10

/** The same for what is made of each item, whose cost is measured instead. */
export async function mapInPortions<T, R>(items: readonly T[], make: (item: T, index: number) => R): Promise<R[]> {
  const made: R[] = []
  let until = performance.now() + portionMs
  for (const [index, item] of items.entries()) {
    if (index > 0 && (index % portionItems === 0 || performance.now() > until)) {
      await nextTurn()
      until = performance.now() + portionMs
    }
    made.push(make(item, index))
  }
  return made
}
