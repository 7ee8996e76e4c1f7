import { defined, isList, isRecord } from './guards.ts'

// A process has one event loop, whose turns these are.
// oxlint-disable-next-line kontor/module-state
let waiting: readonly (() => void)[] = []

/**
 * Lets other work have its turn before more of a large one. Of all that wait for it, one goes on in each turn of the
 * event loop: a request that comes meanwhile waits for one portion of work, however many are at it.
 */
export const nextTurn = (): Promise<void> =>
  new Promise((resolve) => {
    if (waiting.length === 0) setImmediate(giveTurn)
    waiting = [...waiting, resolve]
  })

function giveTurn(): void {
  const [first, ...others] = waiting
  waiting = others
  if (others.length > 0) setImmediate(giveTurn)
  first?.()
}

/** Items of one portion, which are some milliseconds of work. */
const portionItems = 250

/**
 * Lets other work have its turn between two steps of large work, each of which works on all items at once; undefined
 * where there is nothing to wait for.
 */
export const betweenSteps = (items: unknown): Promise<void> | undefined => (isLong(items) ? nextTurn() : undefined)

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

/** The depth down to which long lists are found: those of an answer are in `data`, or in a member of `meta`. */
const depthMax = 2

/**
 * Returns a value as JSON, as `JSON.stringify` does; the items of long lists are written in portions. Nearly all
 * answers have none, and are written at once.
 */
export const jsonInPortions = (value: unknown): string | Promise<string> =>
  isLong(value) || (isRecord(value) && hasLong(value, 0)) ? writtenInPortions(value) : (textOf(value) ?? 'null')

const writtenInPortions = async (value: unknown): Promise<string> => (await written(value, 0)) ?? 'null'

async function written(value: unknown, depth: number): Promise<string | undefined> {
  if (isLong(value)) return `[${(await mapInPortions(value, (item) => textOf(item) ?? 'null')).join(',')}]`
  if (!isRecord(value) || !hasLong(value, depth)) return textOf(value)
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const text = await written(member, depth + 1)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** Returns the JSON of a value; undefined if it has none, as undefined itself. */
const textOf = (value: unknown): string | undefined => JSON.stringify(value)

const isLong = (value: unknown): value is readonly unknown[] => isList(value) && value.length > portionItems

/** Returns whether a value has a long list as a member, or one of its members has. */
const hasLong = (value: Readonly<Record<string, unknown>>, depth: number): boolean =>
  depth < depthMax &&
  !('toJSON' in value) &&
  Object.values(value).some((member) => isLong(member) || (isRecord(member) && hasLong(member, depth + 1)))

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
