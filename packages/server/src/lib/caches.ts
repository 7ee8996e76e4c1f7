/** A cache and how to make it; declared once, by the module that it belongs to. */
export type Cache<T> = { readonly make: () => T }

/** Caches that begin and end together, as those of one transaction do, whichever modules they belong to. */
export class Caches {
  readonly #made = new Map<Cache<unknown>, unknown>()

  get<T>(cache: Cache<T>): T {
    if (!this.#made.has(cache)) this.#made.set(cache, cache.make())
    return this.#made.get(cache) as T
  }

  /** Empties all of them, so that each is made again. */
  clear(): void {
    this.#made.clear()
  }
}

/** Room for so many entries of an LRUCache, taken as they come: `max` lays it all out at once, 1 ms for 10,000. */
export const roomFor = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })

/**
 * Memoises a computation per immutable object, for as long as the object lives. Apps cannot share its entries: each app
 * reads its own objects, and a value derived from one says nothing about any other.
 */
export function derived<From extends object, T>(compute: (from: From) => T): (from: From) => T {
  const computed = new WeakMap<From, { readonly value: T }>()
  return (from) => {
    let found = computed.get(from)
    if (found === undefined) {
      found = { value: compute(from) }
      computed.set(from, found)
    }
    return found.value
  }
}
