export { activitiesOfRecords } from './dependent.ts'
export { activityHandlers } from './handlers.ts'
export { expectActivities, writeActivities } from './write.ts'
