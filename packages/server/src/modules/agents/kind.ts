import type { OwnedRun, WorkflowKind } from '../runs/index.ts'
import { removeUndos } from './undo/store.ts'

/** Disabling an agent stops what it is doing. */
const disabled = { code: 'agent_disabled', detail: 'The agent was disabled.' }

/** A run that an earlier owner began does not continue with the rights of the owner of today. */
const takenOver = { code: 'agent_taken_over', detail: 'The agent now has another owner.' }

function barOf({ run, isEnabled, actorNow }: OwnedRun) {
  if (!isEnabled && !run.dry_run) return disabled
  return run.acting_id === actorNow.id ? undefined : takenOver
}

/** Agents: what one may do is said for all of its runs at once, and its runs are ended and undone as such. */
export const agentKind: WorkflowKind = {
  type: 'agent',
  madeAs: 'agents',
  ownOperations: {
    collection: 'agents',
    scope: 'agents:read',
    refusal: 'This workflow is an agent: use the operations of agents.',
  },
  hasAddress: true,
  actsAsOwner: true,
  readsEveryStep: true,
  barOf,
  dependent: { removed: removeUndos },
}

/** The kinds of the workflows that this module changes. */
export const agentKinds = [agentKind]
