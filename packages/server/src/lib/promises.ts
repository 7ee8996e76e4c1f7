const ignore = (): void => undefined

/**
 * Returns the promise itself, marked as handled, for a promise that is stored now and awaited later. It may reject
 * before anything awaits it, and Node.js ends the process on an unhandled rejection. The failure is not lost: each
 * `await` still throws it.
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

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

/**
 * Runs work now and returns its result, or its throw, as a promise whose rejection is marked as handled. Statements are
 * often sent together and awaited one by one; the failure of the first would leave the others as unhandled rejections,
 * which end the process.
 */
export function promised<T>(work: () => T | Promise<T>): Promise<T> {
  return handled(new Promise<T>((resolve) => resolve(work())))
}
