export { activitiesOfRecords } from './dependent.ts'
export { activityHandlers } from './handlers.ts'
export { writeActivities } from './write.ts'
