import { handled } from './handled.ts'

/** Runs `make` at the first call and answers every later one with the same; where it failed, the next call tries again. */
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
