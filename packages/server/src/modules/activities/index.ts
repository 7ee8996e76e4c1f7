export { activitiesOfRecords } from './belonging.ts'
export { activityHandlers } from './handlers.ts'
export { writeActivities } from './write.ts'
