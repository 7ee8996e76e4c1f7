import type { JobList } from '@kontor/server/admin'
import { count } from './output.ts'

export const duration = (ms: number): string =>
  ms < 120_000
    ? count(Math.round(ms / 1000), 'second')
    : ms < 7_200_000
      ? count(Math.round(ms / 60_000), 'minute')
      : count(Math.round(ms / 3_600_000), 'hour')

/** Describes the state of the jobs in one line. */
export function jobsInWords({ waiting, scheduled, running, failed, lagMs, events, nodes_lost }: JobList): string {
  const lag = waiting === 0 ? '' : `, the oldest for ${duration(lagMs)}`
  const unnumbered =
    events.waiting === 0
      ? ''
      : `; ${count(events.waiting, 'event waits', 'events wait')} for a number, the oldest for ` +
        duration(events.lagMs)
  const lost =
    nodes_lost === 0
      ? ''
      : `; ${count(nodes_lost, 'node of the database does', 'nodes of the database do')} not respond, whose events ` +
        'are not counted'
  return (
    `${waiting.toLocaleString('en')} waiting${lag}; ${running} running; ${scheduled.toLocaleString('en')} for ` +
    `later; ${failed.toLocaleString('en')} failed${unnumbered}${lost}`
  )
}
