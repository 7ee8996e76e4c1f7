import { actingAs, type WorkingKind } from '../identity/acting/index.ts'
import { listWorking } from '../definitions/index.ts'
import { stopWorkflow } from '../runs/index.ts'
import type { WorkflowServices } from '../runs/index.ts'

/** Lists workflows, agents and campaigns, which stop when the credential ends with which they were enabled. */
export const workingWorkflows =
  (services: Pick<WorkflowServices, 'writeEvents' | 'kinds'>): WorkingKind =>
  async (reader, at) =>
    (await listWorking(reader, at.workspaceId)).map((workflow) => ({
      actor: actingAs(workflow.actor, at.workspaceId),
      stop: async (tx, stopped) => void (await stopWorkflow(tx, services, at, { workflow, stopped })),
    }))
