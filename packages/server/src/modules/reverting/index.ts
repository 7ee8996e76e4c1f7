export type { RevertServices } from './batch.ts'
export { continueReverting, newProgress, presentProgress, progressColumns, type RevertProgress } from './progress.ts'
