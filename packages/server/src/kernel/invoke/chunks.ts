import type { Chunks } from '../implement.ts'

/**
 * Streams the chunks of an answer. A failure is reported as for any call; where answers are checked, the whole answer
 * is checked before its end is sent.
 */
export async function* checkedChunks(
  chunks: Chunks,
  toFailure: (error: unknown) => unknown,
  check: ((body: { data: unknown[] }) => void) | undefined,
): Chunks {
  const seen: unknown[] = []
  try {
    for (;;) {
      const next = await chunks.next()
      if (next.done === true) {
        check?.({ data: seen, ...next.value })
        return next.value
      }
      if (check !== undefined) seen.push(...next.value)
      yield next.value
    }
  } catch (error) {
    throw toFailure(error)
  } finally {
    await chunks.return({})
  }
}

/** Joins the chunks into one body, for callers that cannot take a chunked answer. */
export async function joinChunks<Item, Rest extends object>(
  chunks: Chunks<Item, Rest>,
): Promise<{ data: Item[] } & Rest> {
  const data: Item[] = []
  for (;;) {
    const next = await chunks.next()
    if (next.done === true) return { data, ...next.value }
    data.push(...next.value)
  }
}
