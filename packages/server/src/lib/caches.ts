/** A cache that each app holds, and how to make it; declared once, by the module that it belongs to. */
export type Cache<T> = { readonly make: () => T }

/**
 * The caches of one app, kept between calls. `createApp` makes them and every context carries them. Two apps in one
 * process may work on a database and on its copy, where every id names two things, so nothing is cached at module
 * level.
 */
export class Caches {
  readonly #made = new Map<Cache<unknown>, unknown>()

  get<T>(cache: Cache<T>): T {
    if (!this.#made.has(cache)) this.#made.set(cache, cache.make())
    return this.#made.get(cache) as T
  }
}
