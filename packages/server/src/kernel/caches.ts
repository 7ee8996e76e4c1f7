/** One of the things that an app remembers, and how it is made; declared once, by the module that it belongs to. */
export type Cache<T> = { readonly make: () => T }

/**
 * What one app remembers from call to call. `createApp` makes it and every context carries it: two apps in one process may work
 * on a database and on its copy, in which every id stands for two things, so nothing is remembered at module level.
 */
export class Caches {
  readonly #made = new Map<Cache<unknown>, unknown>()

  get<T>(cache: Cache<T>): T {
    if (!this.#made.has(cache)) this.#made.set(cache, cache.make())
    return this.#made.get(cache) as T
  }
}
