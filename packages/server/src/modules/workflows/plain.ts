import type { WorkflowKind } from '../runs/index.ts'
import { removeArrivals } from './inbound/arrivals/store.ts'

/** The kind of workflows that are nothing else. */
export const plainKind: WorkflowKind = {
  type: 'workflow',
  madeAs: 'workflows',
  isOpen: true,
  dependent: {
    async removeLast(tx, workspaceId, workflowId) {
      await removeArrivals(tx, workspaceId, workflowId)
      return []
    },
  },
}
