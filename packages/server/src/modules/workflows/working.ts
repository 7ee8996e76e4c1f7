import type { WorkingKind } from '../identity/standing/index.ts'
import { actorOf } from './definition/owner.ts'
import { listWorking } from './definition/store.ts'
import { stopWorkflow } from './runs/stop.ts'
import type { WorkflowServices } from './services.ts'

/** Lists workflows, agents and campaigns, which stop when the credential ends with which they were enabled. */
export const workingWorkflows =
  (services: Pick<WorkflowServices, 'writeEvents'>): WorkingKind =>
  async (reader, at) =>
    (await listWorking(reader, at.workspaceId)).map((workflow) => ({
      actor: actorOf(workflow.actor, at.workspaceId, undefined),
      stop: async (tx, stopped) => void (await stopWorkflow(tx, services, at, { workflow, stopped })),
    }))
