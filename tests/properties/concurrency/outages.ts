import { setTimeout as sleep } from 'node:timers/promises'
import type { Random } from '../../harness/random.ts'
import type { TestApp } from '../../harness/app.ts'
import { terminateBackends } from '../../harness/postgres.ts'
import type { Happening, Pool } from './operations.ts'
import { item, unknownId } from './state.ts'

const terminatedEveryMs = 700

/** A burst takes about as long on a machine that has nothing else to do. */
const firstWithinMs = 80

/**
 * Ends all connections of an app to its database at some moment of a burst, and again while the burst goes on; how many
 * there were.
 */
export async function terminateDuring(burst: Promise<unknown>, databaseUrl: string, random: Random): Promise<number> {
  const over = new AbortController()
  const ended = () => over.abort()
  burst.then(ended, ended)
  let terminated = 0
  for (let waitMs = random.below(firstWithinMs); ; waitMs = terminatedEveryMs) {
    await sleep(waitMs, undefined, { signal: over.signal }).catch(() => undefined)
    if (over.signal.aborted) return terminated
    terminated += await terminateBackends(databaseUrl)
  }
}

/**
 * Finds what operations have created whose answers were lost, by the names that they gave: their `made`, and what
 * clients know from then on.
 */
export async function findMade(app: TestApp, pool: Pool, happenings: readonly Happening[]): Promise<void> {
  const lost = happenings.filter(({ answer, operation }) => answer === undefined && operation.names !== undefined)
  if (lost.length === 0) return
  const [records, comments] = [await app.createdRecords(item, pool.mark), await app.commentsByText(pool.mark)]
  for (const one of lost) {
    one.made = one.operation.names!.map((name) => records.get(name) ?? comments.get(name) ?? `${unknownId} ${name}`)
    for (const name of one.operation.names!) {
      const [record, comment] = [records.get(name), comments.get(name)]
      if (record !== undefined) pool.known(item, record)
      if (comment !== undefined && !pool.comments.includes(comment)) pool.comments.push(comment)
    }
  }
}

/** Promises that fail unheard while it watches: outside a test, each ends the process. */
export function watchRejections() {
  const heard: string[] = []
  const listener = (reason: unknown) => {
    const why = reason instanceof Error ? reason.stack : String(reason)
    heard.push(`A promise failed unheard, which ends a server: ${why}`)
  }
  process.on('unhandledRejection', listener)
  return {
    words: (): readonly string[] => heard,
    [Symbol.dispose]: () => void process.off('unhandledRejection', listener),
  }
}

export type Rejections = ReturnType<typeof watchRejections>

/** Answers that leave open what has happened, but must not be given: all but 503 that says when to come again. */
export const faulty = (happenings: readonly Happening[]): string[] =>
  happenings.flatMap(({ operation, open }) =>
    open === undefined || (open.status === 503 && Number(open.headers['retry-after']) >= 1)
      ? []
      : [`${operation.words} -> ${open.status} ${JSON.stringify(open.body)}`],
  )
