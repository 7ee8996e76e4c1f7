export { activitiesOfRecords, expectActivities, writeActivities } from './write.ts'
export { activityHandlers } from './handlers.ts'
export { listEventsOfRun, runPositionOf, type RunEvent, type RunPosition } from './runs.ts'
