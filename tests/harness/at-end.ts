const ends: (() => unknown)[] = []

/**
 * Lets something end with the test file, last come first, whether it was made while tests are collected or while they
 * run: Vitest forgets an `afterAll` within a test without a word.
 */
export const atEnd = (end: () => unknown): void => void ends.push(end)

/** Ends all that is left of a test file, also after something could not be ended; throws what went wrong. */
export async function endAll(): Promise<void> {
  const faults: unknown[] = []
  for (let end = ends.pop(); end !== undefined; end = ends.pop()) {
    try {
      await end()
    } catch (error) {
      faults.push(error)
    }
  }
  if (faults.length === 1) throw faults[0]
  if (faults.length > 1) throw new AggregateError(faults, 'What the file has made could not be ended')
}
