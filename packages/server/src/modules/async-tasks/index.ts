export { asyncTaskHandlers, type Cancel } from './handlers.ts'
export { presentTask } from './present.ts'
export { findTask, insertTask, lockTask, taskUpkeep, updateTask, type TaskRow } from './store.ts'
