import type { Chunks } from './implement.ts'

/**
 * Portions on their way out: what fails is told as it would be of any call, and where answers are checked, the whole of
 * them is, before its end is sent.
 */
export async function* checkedChunks(
  portions: Chunks,
  told: (error: unknown) => unknown,
  check: ((body: { data: unknown[] }) => void) | undefined,
): Chunks {
  const seen: unknown[] = []
  try {
    for (;;) {
      const next = await portions.next()
      if (next.done === true) {
        check?.({ data: seen, ...next.value })
        return next.value
      }
      if (check !== undefined) seen.push(...next.value)
      yield next.value
    }
  } catch (error) {
    throw told(error)
  } finally {
    await portions.return({})
  }
}

/** The whole body of what came in portions, for those that are few. */
export async function joinChunks<Item, Rest extends object>(
  portions: Chunks<Item, Rest>,
): Promise<{ data: Item[] } & Rest> {
  const data: Item[] = []
  for (;;) {
    const next = await portions.next()
    if (next.done === true) return { data, ...next.value }
    data.push(...next.value)
  }
}
