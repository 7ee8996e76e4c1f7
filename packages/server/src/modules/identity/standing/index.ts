export { standingOf } from './standing.ts'
export { endingsJob, type WorkingKind } from './stop-ended.ts'
