import { moveActivities } from './moves/store.ts'
import type { Dependent } from '../records/index.ts'
import { deleteActivities } from './store.ts'

export const activitiesOfRecords: Dependent = {
  async move({ tx, workspace }, fromIds, toId) {
    await moveActivities(tx, workspace.workspaceId, fromIds, toId)
    return []
  },
  purge: deleteActivities,
}
