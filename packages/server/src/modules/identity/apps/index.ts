export { appHandlers } from './handlers.ts'
export { appsMade } from './made.ts'
