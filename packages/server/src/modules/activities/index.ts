export { activitiesOfRecords } from './dependent.ts'
export { activityHandlers } from './handlers.ts'
export { listEventsOfRun, runPositionOf, type RunEvent, type RunPosition } from './runs.ts'
export { expectActivities, writeActivities } from './write.ts'
