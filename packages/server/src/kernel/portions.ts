import type { Portions } from './implement.ts'

/**
 * Portions on their way out: what fails is told as it would be of any call, and where answers are checked, the whole of
 * them is, before its end is sent.
 */
export async function* watched(portions: Portions, told: (error: unknown) => unknown, check: ((body: { data: unknown[] }) => void) | undefined): Portions {
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
export async function gathered<Item, Rest extends object>(portions: Portions<Item, Rest>): Promise<{ data: Item[] } & Rest> {
  const data: Item[] = []
  for (;;) {
    const next = await portions.next()
    if (next.done === true) return { data, ...next.value }
    data.push(...next.value)
  }
}
