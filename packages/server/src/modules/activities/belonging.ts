import { moveActivities } from '../../db/activity-moves.ts'
import type { Belonging } from '../records/index.ts'
import { deleteActivities } from './store.ts'

export const activitiesOfRecords: Belonging = { move: moveActivities, purge: deleteActivities }
