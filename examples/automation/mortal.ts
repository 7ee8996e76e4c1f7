import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { serve, type Server } from '../shell.ts'
import { show } from '../tell.ts'

/** The server that runs now. */
export type Host = { server: Server }

/** A commit at which a server dies, and what is so then: a place where a program that is less careful does harm. */
export type FaultPoint = {
  readonly moment: 'before' | 'after'
  /** The table that the commit writes, and a text in what it writes. */
  readonly table: string
  readonly value: string
  readonly means: string
}

/** In the order in which a run of a large order comes by. */
export const faultPoints: readonly FaultPoint[] = [
  {
    moment: 'after',
    table: 'workflow_run',
    value: '',
    means: 'the order is stored, and its sender has no answer',
  },
  {
    moment: 'before',
    table: 'workflow_step',
    value: 'webhook:send:outbound',
    means: 'the receiver has taken the webhook, and nothing here says so',
  },
  {
    moment: 'after',
    table: 'email',
    value: 'sent',
    means: 'the mail server has taken the letter, and the step is not done',
  },
]

const program = new URL('die-at-commit.ts', import.meta.url)
const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

/** A server that is killed (-9) at a fault point. */
export function startMortal({ moment, table, value }: FaultPoint): Promise<Server> {
  const args = ['--import', program.href, main]
  show('node', ...args)
  return serve(process.execPath, args, { DIES_AT: `${moment} ${table} ${value}`.trim() })
}

const eachMs = 1000

/** On a slow machine a server does nothing in a second: it lives for at least this part of the time of its start. */
const partOfStart = 1 / 3

/**
 * Kills (-9) one server after another, each a second after it has begun to answer, until something is over, and returns
 * how many; the one that runs then stays.
 */
export async function killEverySecond(host: Host, ending: Promise<unknown>): Promise<number> {
  const isOver = ending.then(() => true)
  // That it failed is told by the race below, which a server that is just starting keeps waiting.
  isOver.catch(() => undefined)
  for (let killed = 0; ; killed++) {
    const startedAt = performance.now()
    host.server = await serve(process.execPath, [main])
    const lifeMs = Math.max(eachMs, (performance.now() - startedAt) * partOfStart)
    if (await Promise.race([isOver, sleep(lifeMs, false)])) return killed
    await host.server.kill()
  }
}
