import { Command } from 'commander'
import type { JobList, ListedJob } from '@kontor/server/admin'
import { administer } from '../administration.ts'
import { UsageError } from '../errors.ts'
import { databaseHelp, examples } from '../help.ts'
import { jobsInWords } from '../jobs-in-words.ts'
import { count, print, printData } from '../output.ts'

const list = (): Command =>
  new Command('list')
    .description('Show how many jobs are waiting, running and failed, and the errors of the last failed ones.')
    .option(
      '--json',
      'print {data: {waiting, scheduled, running, failed, lagMs, events, nodes_lost, failures: [{id, kind, ' +
        'workspace, failures, last_error, failed_at}]}} as JSON',
    )
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor jobs list', 'see what the server does in the background']))
    .action(async ({ json }: { readonly json?: true }) => {
      const jobs = await administer((admin) => admin.jobs())
      if (json) printData(jobs)
      else printList(jobs)
    })

function printList(jobs: JobList): void {
  print(jobsInWords(jobs))
  for (const { id, kind, workspace, failures, last_error: error, failed_at: at } of jobs.failures) {
    print(
      `failed  ${id}  ${kind}${workspace === null ? '' : ` of ${workspace}`}, at ${at}, tried ` +
        `${count(failures, 'time')}: ${error}`,
    )
  }
}

const retry = (): Command =>
  new Command('retry')
    .description('Retry failed jobs, with all their attempts. A running server starts them within a second.')
    .argument('[id...]', 'ids of failed jobs')
    .option('--all', 'the last hundred that failed')
    .option('--json', 'print {data: [{id, kind, …}]} as JSON')
    .addHelpText('after', databaseHelp)
    .addHelpText('after', examples(['kontor jobs retry --all', 'after the cause has been fixed']))
    .action(async (ids: readonly string[], { all, json }: { readonly all?: true; readonly json?: true }) => {
      if (ids.length > 0 === (all ?? false)) throw new UsageError('Name jobs by their ids, or all of them by --all.')
      const retried = await administer((admin) => admin.retryJobs(all ? 'all' : ids))
      if (json) printData(retried)
      else printRetried(retried)
    })

function printRetried(retried: readonly ListedJob[]): void {
  for (const { id, kind } of retried) print(`again  ${id}  ${kind}`)
  print(retried.length === 0 ? 'There are no failed jobs to retry.' : `${count(retried.length, 'job')} will run again.`)
}

export const jobsCommand = (): Command =>
  new Command('jobs')
    .description('List and retry the background jobs of the server.')
    .addCommand(list())
    .addCommand(retry())
