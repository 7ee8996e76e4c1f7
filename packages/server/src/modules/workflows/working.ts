import type { WorkingKind } from '../identity/standing/index.ts'
import { actorOf } from '../definitions/index.ts'
import { listWorking } from '../definitions/index.ts'
import { stopWorkflow } from '../runs/index.ts'
import type { WorkflowServices } from '../runs/index.ts'

/** Lists workflows, agents and campaigns, which stop when the credential ends with which they were enabled. */
export const workingWorkflows =
  (services: Pick<WorkflowServices, 'writeEvents' | 'kinds'>): WorkingKind =>
  async (reader, at) =>
    (await listWorking(reader, at.workspaceId)).map((workflow) => ({
      actor: actorOf(workflow.actor, at.workspaceId, undefined),
      stop: async (tx, stopped) => void (await stopWorkflow(tx, services, at, { workflow, stopped })),
    }))
