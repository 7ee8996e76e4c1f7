import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { appOver } from '../in-process.ts'
import { noting } from './noting.ts'
import { addWorkflow, newWorkflow } from './runs.ts'
import type { AutomationStand } from './stand.ts'

/** Long enough for what a server does when it starts. */
const settleMs = 15_000

/** Statements in a minute in which nothing happens; a transaction counts for two more. */
export type Idle = {
  readonly all: number
  /** Of the runner of jobs, which waits for the runs, and of what follows the log of events for workflows. */
  readonly forWorkflows: number
}

/** Measures the statements of a server for a minute, in a workspace with an enabled workflow. */
export async function measureIdle(stand: AutomationStand, forMs: number): Promise<Idle> {
  const running = await stand.start()
  await addWorkflow(running, newWorkflow('Listens', []))
  await running.server.stop()
  const opened = openConfigured(readConfig({ DATABASE_URL: stand.url }))
  const sent: string[] = []
  const app = appOver(noting(opened, sent), 'http://127.0.0.1:1')
  try {
    await app.runner.start()
    await sleep(settleMs)
    sent.length = 0
    await sleep(forMs)
    const perMinute = (some: readonly string[]): number => Math.round((some.length * 60_000) / forMs)
    return { all: perMinute(sent), forWorkflows: perMinute(sent.filter(isForWorkflows)) }
  } finally {
    await app.runner.stop(1000)
    await opened.close()
  }
}

const isForWorkflows = (text: string): boolean =>
  /\bfrom .job\b/.test(text) || (text.includes('event_cursor') && text.endsWith(' workflows'))
