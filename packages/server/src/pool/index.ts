export { Pool, type PoolOptions } from './pool.ts'
export { joined } from './pieces.ts'
export { defineTask, PoolBusy, TaskFailure, type Host, type Task, type TaskLimits } from './task.ts'
