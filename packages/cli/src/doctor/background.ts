import type { Background } from '@kontor/server/admin'
import type { Config } from '@kontor/server/config'
import { duration, jobsInWords } from '../jobs-in-words.ts'
import { count } from '../output.ts'
import { ok, warn, type Finding } from './finding.ts'

/** A job that has waited longer is late: a server or worker starts due jobs within a second unless it is overloaded. */
const lateMs = 60_000

const shownMax = 5

type Checks = Readonly<Record<'Jobs' | 'Events' | 'Webhooks', () => Promise<Finding>>>

/** Checks of what goes on by itself, on one reading of the database. */
export function backgroundChecks(config: Config): Checks {
  const reading = import('@kontor/server/admin').then(({ readBackground }) => readBackground(config))
  const by = (check: (background: Background) => Finding) => async () => check(await reading)
  return { Jobs: by(checkJobs), Events: by(checkEvents), Webhooks: by(checkWebhooks) }
}

/** Returns whether jobs are late or fail. */
function checkJobs(jobs: Background): Finding {
  const alarms = [
    ...(jobs.lagMs > lateMs
      ? [
          'Jobs are late: no server and no worker takes them, or they have too much to do. A server with ' +
            'KONTOR_JOBS=0 takes none; "kontor worker" does.',
        ]
      : []),
    ...jobs.failing
      .slice(0, shownMax)
      .map(
        ({ kind, retrying, failed, error }) =>
          `${kind}: ${failed.toLocaleString('en')} failed permanently, ${retrying.toLocaleString('en')} will be ` +
          `retried: ${error}`,
      ),
    ...(jobs.failures.length > 0
      ? ['"kontor jobs list" shows those that failed, "kontor jobs retry" runs them again.']
      : []),
  ]
  return finding(jobsInWords(jobs), alarms)
}

/** Returns whether those are behind that follow the logs of events. */
function checkEvents({ events, consumers }: Background): Finding {
  const unread = consumers.reduce((sum, { events: some }) => sum + some, 0)
  const alarms = [
    ...(events.lagMs > lateMs
      ? [
          `Events wait for their numbers, the oldest for ${duration(events.lagMs)}: no server and no worker gives ` +
            'them.',
        ]
      : []),
    ...consumers
      .filter(({ lagMs }) => lagMs > lateMs)
      .map(
        ({ consumer, events: some, lagMs }) =>
          `${consumer}: ${count(some, 'event')} behind, the oldest for ${duration(lagMs)}`,
      ),
  ]
  return finding(
    `${count(events.waiting, 'event')} to be numbered, ${unread.toLocaleString('en')} to be followed`,
    alarms,
  )
}

/** Meanings of the reasons for which webhooks stop by themselves; any other reason is shown as it is. */
const reasons: Readonly<Record<string, string>> = {
  gone: 'gone, the receiver responded with 410',
  failing: 'failing for five days',
  credential_ended: 'credential_ended, the key or app that created it has ended, or it was restored from a bundle',
}

/** Returns whether webhooks have stopped by themselves. */
function checkWebhooks({ stoppedWebhooks: stopped }: Background): Finding {
  if (stopped.length === 0) return ok('none has stopped by itself')
  return finding(
    `${count(stopped.length, 'webhook has', 'webhooks have')} stopped; nothing is sent until a person enables them`,
    stopped.slice(0, shownMax).map(({ workspace, id, reason, disabled_at }) => {
      const at = new Date(disabled_at).toISOString().slice(0, 16).replace('T', ' ')
      return `${id} of ${workspace}: ${reasons[reason] ?? reason}, at ${at}`
    }),
  )
}

const finding = (state: string, alarms: readonly string[]): Finding =>
  alarms.length === 0 ? ok(state) : warn([state, ...alarms.map((alarm) => `      ${alarm}`)].join('\n'))
