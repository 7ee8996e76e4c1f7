import type { Config } from '@kontor/server/config'
import { jobsInWords } from '../jobs-in-words.ts'
import { ok, warn, type Finding } from './finding.ts'

/** Checks the server's background work, and whether any of it has failed for good. */
export async function checkJobs(config: Config): Promise<Finding> {
  const { readJobs } = await import('@kontor/server/admin')
  const jobs = await readJobs(config)
  const [last] = jobs.failures
  if (last === undefined) return ok(jobsInWords(jobs))
  return warn(
    `${jobsInWords(jobs)}. The last that failed is ${last.kind}: ${last.last_error}. "kontor jobs list" ` +
      'shows them all.',
  )
}
