export { activitiesOfRecords, feedEndVerification } from './verification.ts'
export { activityHandlers } from './handlers.ts'
export { listEventsOfRun, runPositionOf, type RunEvent, type RunPosition } from './runs.ts'
export { writeActivities } from './write.ts'
