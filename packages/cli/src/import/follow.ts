import { setTimeout as sleep } from 'node:timers/promises'
import { CommandFailed, Interrupted } from '../errors.ts'
import type { Destination, ImportState } from './destination.ts'
import type { Progress } from './progress.ts'

const pollMs = [100, 200, 500, 1000] as const

/** An import that has ended, or that is no longer followed. */
export type Followed = { readonly state: ImportState; readonly stoppedBy?: unknown }

/** Shows how far an import is until it ends; an interruption cancels it. */
export async function follow(
  destination: Destination,
  first: ImportState,
  progress: Progress,
  interrupted: AbortSignal,
): Promise<Followed> {
  let state = first
  try {
    for (let polls = 0; ; polls++) {
      progress.update(state.rows_done, state.rejected, state.rows_total)
      if (state.ended_at !== null) break
      await sleep(pollMs[polls] ?? pollMs.at(-1), undefined, { signal: interrupted })
      state = await destination.get(state._id)
    }
  } catch (error) {
    if (!interrupted.aborted) return { state, stoppedBy: error }
    return { state: await destination.cancel(state._id).catch(() => state), stoppedBy: new Interrupted('Interrupted.') }
  } finally {
    progress.stop()
  }
  if (state.state === 'completed') return { state }
  return { state, stoppedBy: new CommandFailed(state.error ?? 'The import was cancelled.') }
}
