import { setTimeout as sleep } from 'node:timers/promises'
import { z } from 'zod'
import type { Tx } from '../../../packages/server/src/db/tx.ts'
import type { JobKind } from '../../../packages/server/src/engine/types.ts'

export const stepsMax = 60

/** Leaves a trace of its own each time, so that a step which was done twice is there twice. */
export const leaveTrace = (tx: Tx, workspaceId: string, number: number): Promise<void> =>
  tx.insert('record_count_delta', [
    { workspace_id: workspaceId, object: 'step', id: crypto.randomUUID(), delta: number },
  ])

/** A job of many steps, each with a pause before and behind what it does, so that a kill strikes anywhere. */
export const steps: JobKind<{ number: number }> = {
  name: 'steps',
  payload: z.object({ number: z.int() }),
  leaseMs: 700,
  async run({ workspaceId, conclude }, { number }) {
    await sleep(5)
    const outcome = await conclude(async (tx) => {
      await leaveTrace(tx, workspaceId, number)
      return number === stepsMax
        ? { state: 'done' as const }
        : { state: 'again' as const, inMs: 0, payload: { number: number + 1 } }
    })
    await sleep(5)
    return outcome
  },
}
