export { revertBatch, type RevertServices } from './batch.ts'
