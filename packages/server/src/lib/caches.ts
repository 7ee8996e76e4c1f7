/** A cache and how to make it; declared once, by the module that it belongs to. */
export type Cache<T> = { readonly make: () => T }

/** Caches that begin and end together, as those of one transaction do, whichever modules they belong to. */
export class Caches {
  readonly #made = new Map<Cache<unknown>, unknown>()

  get<T>(cache: Cache<T>): T {
    if (!this.#made.has(cache)) this.#made.set(cache, cache.make())
    return this.#made.get(cache) as T
  }
}
