import { handled } from './handled.ts'

/**
 * Runs `make` at the first call and returns the same result to every later one; after a failure, the next call tries
 * again.
 */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined
  return () => {
    made ??= handled(
      make().catch((error: unknown) => {
        made = undefined
        throw error
      }),
    )
    return made
  }
}
