const ignore = (): void => undefined

/**
 * The promise itself, for one that is stored now and awaited later: its failure may come before anything waits for it, and
 * Node.js ends a process whose promise fails unheard. The failure is not lost; each `await` still throws it.
 */
export function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(ignore)
  return promise
}
