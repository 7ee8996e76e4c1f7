import { onTestFinished } from 'vitest'
import { until } from '../../harness/until.ts'
import { Responses } from './client.ts'
import type { Installation } from './installation.ts'
import { createWorkspace, type Workspace } from './workspace.ts'

const workspaces = 3

/** A busy machine takes long to recover. */
const progressMs = 180_000

type Options = { readonly installation: Installation; readonly receiver: string; readonly seed: number }

/** A constant load in several workspaces. */
export async function startLoad({ installation, receiver, seed }: Options) {
  const responses = new Responses()
  let isStopping = false
  let isGivenUp = false
  const all: Workspace[] = []
  for (let number = 1; number <= workspaces; number++)
    all.push(await createWorkspace(number, { installation, receiver, seed, responses, isGivenUp: () => isGivenUp }))
  const actors = all.flatMap((workspace) => workspace.actors)
  const failures: unknown[] = []
  const running = Promise.all(
    actors.map((actor) => actor.work(() => isStopping).catch((error: unknown) => void failures.push(error))),
  )
  const stop = async (): Promise<void> => {
    isStopping = true
    await running
  }
  onTestFinished(() => {
    isGivenUp = true
    return stop()
  })
  return {
    responses,
    workspaces: all,
    stop,
    /** Resolves once so many changes of each actor, on the average, have been acknowledged from now on. */
    progress: async (changes: number): Promise<void> => {
      const aim = responses.acknowledged + changes * actors.length
      await until(() => responses.acknowledged >= aim || failures.length > 0, {
        withinMs: progressMs,
        what: () => [[...responses.statuses], responses.faults.slice(0, 3)],
      })
      if (failures.length > 0) throw new AggregateError(failures, responses.faults.slice(0, 5).join('\n'))
    },
  }
}
