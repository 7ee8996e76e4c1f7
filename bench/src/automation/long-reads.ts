import { setTimeout as sleep } from 'node:timers/promises'
import { enqueueNew, Runner, type JobKind } from '@kontor/server'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { z } from 'zod'
import type { Fact } from '../facts.ts'
import { logger } from '../in-process.ts'
import type { Options } from '../options.ts'
import { createCompanies, type AutomationStand, type Place, type Running } from './stand.ts'

const perSecond = 800
const everyMs = 50
/** Jobs of one workspace get at most three quarters of the slots. */
const workspaces = Array.from({ length: 4 }, (_, index) => `00000000-0000-4000-8000-00000000001${index}`)
/** The jobs that may wait: those of one second. */
const waitingMax = perSecond

const count = (value: number): string => Math.round(value).toLocaleString('en-US')

type Backlog = { readonly perSecond: number; readonly most: number; readonly atEnd: number }

/** Jobs come at a rate for some seconds, and a runner of this process takes them; how many wait, asked each second. */
async function measureBacklog(url: string, seconds: number): Promise<Backlog> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const clock = { now: () => Date.now(), monotonicMs: () => performance.now() }
  let done = 0
  const kind: JobKind<Record<string, never>> = {
    name: 'bench.beside',
    payload: z.strictObject({}),
    run: async () => {
      done++
      return { state: 'done' }
    },
  }
  const runner = new Runner({ database, clock, logger, kinds: [kind], recurring: [] })
  await runner.start()
  try {
    const started = performance.now()
    /** Jobs that should be there by now: what a slow database has not taken yet waits too. */
    const due = (): number => Math.floor((Math.min(seconds * 1000, performance.now() - started) * perSecond) / 1000)
    const waiting: number[] = []
    for (let enqueued = 0; performance.now() - started < seconds * 1000; await sleep(everyMs)) {
      const jobs = Array.from({ length: due() - enqueued }, (_, index) => ({
        workspaceId: workspaces[index % workspaces.length] as string,
        kind,
        payload: {},
        now: clock.now(),
      }))
      await database.write((tx) => enqueueNew(tx, jobs))
      enqueued += jobs.length
      if ((performance.now() - started) / 1000 >= waiting.length + 1) waiting.push(due() - done)
    }
    const atEnd = due() - done
    return { perSecond: done / seconds, most: Math.max(...waiting, atEnd), atEnd }
  } finally {
    await runner.stop(1000)
    await database.close()
  }
}

/** A read that takes long, asked for again and again. */
type LongRead = {
  readonly what: string
  readonly method: 'GET' | 'POST'
  readonly path: (number: number) => string
}

/** Another one each time: of those that are alike one is asked for all. */
const filter = (number: number): string => `filter[name][Contains]=${number % 10}&page[limit]=1`

/** A whole list as CSV, an exact total of an unlikely filter, and a page of a list whose query is evaluated anew. */
async function readsOf({ call }: Running): Promise<LongRead[]> {
  const list = async (sql: string): Promise<string> =>
    (await call('POST', '/objects/company/lists', { title: 'Long', type: 'dynamic', query: { sql } })).data.id
  const all = await list('SELECT c.* FROM company c')
  const some = await list(
    `SELECT c.* FROM company c WHERE c.name LIKE '%7%' OR c.description LIKE '%7%' ORDER BY c.name`,
  )
  return [
    { what: 'exports', method: 'POST', path: () => `/objects/company/lists/${all}/rows/csv` },
    { what: 'counts', method: 'GET', path: (number) => `/objects/company/resources?${filter(number)}` },
    {
      what: 'evaluations of a list',
      method: 'GET',
      path: (number) => `/objects/company/lists/${some}/resources?${filter(number)}`,
    },
  ]
}

type Done = { readonly what: string; readonly times: number; readonly longestMs: number }

async function readOn(
  { port }: { readonly port: number },
  { slug, headers }: Place,
  { what, method, path }: LongRead,
  isOver: () => boolean,
): Promise<Done> {
  let [times, longestMs] = [0, 0]
  while (!isOver()) {
    const asked = performance.now()
    const response = await fetch(`http://127.0.0.1:${port}/v1/workspaces/${slug}${path(times)}`, {
      method,
      headers: { ...headers, 'Content-Type': 'application/json' },
      ...(method === 'POST' && { body: '{}' }),
    })
    if (!response.ok) throw new Error(`${what}: ${response.status} ${(await response.text()).slice(0, 500)}`)
    for await (const _ of response.body ?? []);
    longestMs = Math.max(longestMs, performance.now() - asked)
    times++
  }
  return { what, times, longestMs }
}

/** Measures the backlog of jobs while three long reads go on at a time, beside the same without them. */
export async function measureLongReads(stand: AutomationStand, options: Options): Promise<Fact[]> {
  const seconds = options.isQuick ? 5 : 60
  const running = await stand.start()
  try {
    await createCompanies(running, options.isQuick ? 5000 : 100_000)
    const reads = await readsOf(running)
    // The first has its indexes built.
    for (const read of reads) await readOn(running.server, stand.busy, read, once())
    const alone = await measureBacklog(stand.url, seconds)
    let isOver = false
    const reading = reads.map((read) => readOn(running.server, stand.busy, read, () => isOver))
    const beside = await measureBacklog(stand.url, seconds).finally(() => (isOver = true))
    return factsOf(seconds, { alone, beside }, await Promise.all(reading))
  } finally {
    await running.server.stop()
  }
}

/** Returns a function that is true only the first time. */
function once(): () => boolean {
  let times = 0
  return () => times++ > 0
}

const waiting = ({ atEnd, most }: Backlog): string => `${count(atEnd)}, at most ${count(most)}`

function factsOf(
  seconds: number,
  { alone, beside }: Readonly<Record<'alone' | 'beside', Backlog>>,
  reads: readonly Done[],
): Fact[] {
  const told = reads.map(
    ({ what, times, longestMs }) => `${count(times)} ${what}, the longest ${(longestMs / 1000).toFixed(1)} s`,
  )
  return [
    {
      what: `waiting after ${seconds} s of ${perSecond} jobs a second beside three long reads ≤ ${waitingMax}`,
      value: `${waiting(beside)}; without ${waiting(alone)}`,
      // A machine that takes fewer without the reads promises nothing beside them.
      ...(alone.perSecond >= 0.95 * perSecond && { isMet: beside.atEnd <= waitingMax }),
    },
    {
      what: 'jobs completed beside those reads ≥ 0.95 of those without',
      value: `${count(beside.perSecond)} /s, without ${count(alone.perSecond)} /s; ${told.join('; ')}`,
      isMet: beside.perSecond >= 0.95 * alone.perSecond,
    },
  ]
}
