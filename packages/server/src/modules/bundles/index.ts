export { BundleFault } from './reading/bundle-fault.ts'
export type { RestoreRequest } from './restoring/plan.ts'
export { restoreBundle, type RestoredWorkspace, type RestoreServices } from './restoring/restore.ts'
export { SchemaChanging, writeBundle } from './writing/write-bundle.ts'
