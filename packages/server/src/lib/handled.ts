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
