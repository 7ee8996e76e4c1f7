import { z } from 'zod'
import type { WorkflowNode } from '@kontor/contract'
import type { BlockOutcome } from '../plugins/index.ts'
import type { StepRow } from './steps/store.ts'
import type { Progress } from './store.ts'

/** The position of a run. */
export type GraphPosition = {
  /** Steps that are done and not stored yet. */
  readonly done: readonly StepRow[]
  readonly current: string | null
  readonly progress: Progress
}

/** Where a run is behind a block that repeats a chain: in the chain for the next item, or behind the block. */
export function withLoop(
  behind: GraphPosition,
  { _id, next }: WorkflowNode,
  outcome: BlockOutcome<unknown>,
): GraphPosition {
  const { loops = [], ...progress } = behind.progress
  const outer = loops.at(-1)?.block === _id ? loops.slice(0, -1) : loops
  const { index, total } = looped.parse(outcome.state === 'done' ? outcome.output : undefined)
  const isRepeated = outcome.state === 'done' && outcome.isRepeated === true
  if (isRepeated) return { ...behind, progress: { ...progress, loops: [...outer, { block: _id, done: index, total }] } }
  const current = next ?? outer.at(-1)?.block ?? null
  return { ...behind, current, progress: { ...progress, ...(outer.length > 0 && { loops: outer }) } }
}

const looped = z.object({ index: z.int(), total: z.int() })
