export { Pool, type PoolOptions } from './pool.ts'
export { defineTask, PoolBusy, type Task, type TaskLimits } from './task.ts'
