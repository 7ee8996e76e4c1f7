export { asyncTaskHandlers, type Cancel } from './handlers.ts'
export { presentTask } from './present.ts'
export { insertTask, lockTask, sweepTasks, updateTask } from './store.ts'
