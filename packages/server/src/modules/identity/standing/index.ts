export { standingOf } from './standing.ts'
