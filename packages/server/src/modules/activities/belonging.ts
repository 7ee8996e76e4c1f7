import { moveActivities } from '../../db/activity-moves.ts'
import type { Belonging } from '../records/index.ts'
import { deleteActivities } from './store.ts'

export const activitiesOfRecords: Belonging = {
  async move({ tx, workspace }, fromIds, toId) {
    await moveActivities(tx, workspace.workspaceId, fromIds, toId)
    return []
  },
  purge: deleteActivities,
}
