import { nextTurn } from './next-turn.ts'

/** Items of one portion, which are some milliseconds of work. */
export const portionItems = 250

/** Lets other work have its turn between two steps of large work, each of which works on all items at once. */
export async function betweenSteps(items: unknown): Promise<void> {
  if (Array.isArray(items) && items.length > portionItems) await nextTurn()
}

/** Works on items in portions, between which other work of the process has its turn; few are one portion. */
export async function inPortions<T>(
  items: readonly T[],
  work: (portion: readonly T[], start: number) => Promise<void>,
): Promise<void> {
  for (let start = 0; start < items.length; start += portionItems) {
    if (start > 0) await nextTurn()
    await work(items.slice(start, start + portionItems), start)
  }
}

/** The same for what is made of each item. */
export async function mapInPortions<T, R>(items: readonly T[], make: (item: T, index: number) => R): Promise<R[]> {
  const made: R[] = []
  for (const [index, item] of items.entries()) {
    if (index > 0 && index % portionItems === 0) await nextTurn()
    made.push(make(item, index))
  }
  return made
}
