import type { RunScope } from '../language/path.ts'
import type { RunRow, StepRow } from './store.ts'

/** What variables of a run may name: the state of its trigger, and what its blocks have left. */
export const scopeOf = (
  run: Pick<RunRow, 'trigger_state'>,
  steps: readonly Pick<StepRow, 'block' | 'output'>[],
): RunScope => ({
  ...Object.fromEntries(steps.map(({ block, output }) => [block, { state: { output } }])),
  trigger: { state: run.trigger_state },
})
