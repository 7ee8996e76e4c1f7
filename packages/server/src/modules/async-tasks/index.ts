export { asyncTaskHandlers, type Cancel } from './handlers.ts'
export { presentTask } from './present.ts'
export { insertTask, lockTask, taskUpkeep, updateTask } from './store.ts'
