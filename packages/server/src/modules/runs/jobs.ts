import { cancelAllJob } from './cancel-all.ts'
import { heartbeatJob } from './heartbeat.ts'
import { releaseJob } from './held.ts'
import { runJob } from './job.ts'
import { removalJob } from './removal.ts'
import type { WorkflowServices } from './services.ts'

/** Creates the job kinds of runs: beginning, carrying on, cancelling, releasing and removing them. */
export const runJobs = (services: WorkflowServices) =>
  [
    runJob(services),
    heartbeatJob(services),
    removalJob(services),
    cancelAllJob(services),
    releaseJob(services),
  ] as const
