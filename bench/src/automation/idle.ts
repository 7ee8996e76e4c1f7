import { sentWhileIdle } from './sent-while-idle.ts'
import { addWorkflow, newWorkflow } from './runs.ts'
import type { AutomationStand } from './stand.ts'

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
  const sent = await sentWhileIdle(stand.url, forMs)
  const perMinute = (some: readonly string[]): number => Math.round((some.length * 60_000) / forMs)
  return { all: perMinute(sent), forWorkflows: perMinute(sent.filter(isForWorkflows)) }
}

const isForWorkflows = (text: string): boolean =>
  /\bfrom .job\b/.test(text) || (text.includes('event_cursor') && text.endsWith(' workflows'))
