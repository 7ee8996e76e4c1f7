export { activityHandlers } from './handlers.ts'
export { writeActivities } from './write.ts'
