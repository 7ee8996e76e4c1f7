import type { ReadContext } from '../implement.ts'
import type { Runtime } from './runtime.ts'

/** What a context has from the clock. */
export type Timed = 'now' | 'newId'

/** One instant for the whole call, and ids that begin with it. */
export const timed = (runtime: Runtime, now: number): Pick<ReadContext, Timed> => ({
  now,
  newId: () => runtime.newId(now),
})
