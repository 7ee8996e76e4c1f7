export { beginRuns, type RunDraft } from './begin.ts'
export { cancelAll, cancelAllJob } from './cancel-all.ts'
export { continueRun, endRun, isCarriedOut, isEnded, moveRun } from './changes.ts'
export { maySeeContents } from './contents.ts'
export { runsCounter } from './counter.ts'
export { dispatcher } from './dispatch.ts'
export { filtersHold } from './event-filters.ts'
export { beginHeartbeat, heartbeatJob, replanHeartbeats } from './heartbeat.ts'
export { enqueueRelease, releaseJob } from './held.ts'
export { runJob } from './job.ts'
export { consumerName } from './names.ts'
export { ownersContext, ownersStanding } from './owners-context.ts'
export { OwnersView } from './owners-view.ts'
export { presentSummary } from './present.ts'
export { enqueueReawakening, reawakenJob } from './reawaken.ts'
export { enqueueRemoval, removalJob } from './removal.ts'
export { runUpkeep } from './removal/store.ts'
export {
  cancelRun,
  getRun,
  getRunStep,
  readRun,
  requireNoAgentsRun,
  resumeRun,
  retryRun,
  runByHand,
} from './service.ts'
export type { WorkflowServices } from './services.ts'
export { stopWorkflow } from './stop.ts'
export { countRuns, listRuns, lockRun, type RunRow, type RunSummaryRow } from './store.ts'
export { suppressedBy } from './suppressed-by.ts'
