const ignore = (): void => undefined

/**
 * A promise whose failure may go unseen: statements are often sent together and awaited one by one, and the
 * failure of the first would leave the others as unhandled rejections, which end the process. The transaction
 * keeps its first failure by itself and does not commit.
 */
export function observed<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}

/** Runs now and answers as a promise, a throw included. */
export const promised = <T>(work: () => T | Promise<T>): Promise<T> => observed(new Promise((resolve) => resolve(work())))
