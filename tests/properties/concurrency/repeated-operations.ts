import type { Expected } from './answers.ts'
import type { Operation, Pool } from './operations.ts'
import { createItem, upsertItem } from './record-operations.ts'

/** Sends a request under an idempotency key: a new one, or one that was sent already, perhaps a moment ago. */
export function repeat(pool: Pool): Operation {
  const { keyed, random } = pool
  if (keyed.length === 0 || random.chance(0.4)) {
    const operation = random.pick([createItem, upsertItem])(pool)
    keyed.push(under(`${pool.mark} key ${pool.serial()}`, operation))
    return keyed.at(-1)!
  }
  return random.chance(0.7) ? keyed.at(-1)! : random.pick(keyed)
}

/** The first that succeeds is done, all others are given its answer. */
const under = (key: string, operation: Operation): Operation => ({
  ...operation,
  words: `under ${key}: ${operation.words}`,
  mayRefuse: ['idempotency_in_progress'],
  send: (send) =>
    operation.send((method, path, options) =>
      send(method, path, { ...options, headers: { ...options?.headers, 'Idempotency-Key': key } }),
    ),
  expect(state, made) {
    const kept = state.kept.get(key)
    if (kept !== undefined) return { ...(JSON.parse(kept) as Expected), replayed: true }
    const { next, ...expected } = operation.expect(state, made)
    if (expected.status >= 300) return expected
    const after = (next ?? state).copy()
    after.kept.set(key, JSON.stringify(expected))
    return { ...expected, next: after }
  },
})
