export { asyncTaskHandlers, type Cancel } from './handlers.ts'
export { presentTask } from './present.ts'
export {
  endTask,
  findTask,
  insertTask,
  lockTask,
  taskUpkeep,
  updateTask,
  workRows,
  workSorting,
  type TaskRow,
} from './store.ts'
