import type { Fact } from '../facts.ts'
import type { Databases } from '../databases.ts'
import { namesOf, type AutomationName, type Options } from '../options.ts'
import type { PeerName } from '../peers/main.ts'
import type { Load } from '../processes.ts'
import { measureRates, type Rates } from '../rates.ts'
import type { Part } from '../report.ts'
import { beneathWorkflow, withoutEvents } from './costs.ts'
import { measureBesidePeers } from './beside-peers.ts'
import { measureDeliveries } from './deliveries.ts'
import { measureEnrolment } from './enrolment.ts'
import { measureEvaluation } from './evaluated.ts'
import { measureIdle } from './idle.ts'
import { jobsAtLeast, measureJobs } from './jobs.ts'
import { measureLetters } from './letters.ts'
import { measureListedRuns } from './listed-runs.ts'
import { measureListening } from './listening.ts'
import { measureLongReads } from './long-reads.ts'
import { measureRestart } from './restart.ts'
import { measureRuns } from './runs.ts'
import { openAutomation, type AutomationStand, type Running } from './stand.ts'
import { measureWaiting } from './waiting.ts'

type Run = {
  readonly databases: Databases
  readonly load: Load
  readonly options: Options
  readonly say: (text: string) => void
}

const startMsMax = 5000
const lagMsMax = 1000
const runsAtLeast = 300
const lettersAtLeast = 200
const timesPeers = 2
const singleMsMax = 10
const restartSecondsMax = 6
const peerNames = { dbos: 'DBOS', openworkflow: 'OpenWorkflow' } as const
const named = ({ name }: { readonly name: PeerName }): string => peerNames[name]
const enrolmentSecondsMax = 60
const idleMax = 10
/** Persons in the list that is enrolled. */
const enrolledAtLeast = 100_000
/** The changes of the hundred a second that a machine must take to count. */
const changesAtLeast = 95
/** Claims beside waiting runs, and memory with them: what rounds and collections of garbage differ by. */
const slowerMax = 0.9
const memoryMax = 1.15

const count = (value: number): string => Math.round(value).toLocaleString('en-US')

/** The measurements of the set, each upon a server of its own. */
export async function measureAutomation(
  waiting: number,
  run: Run,
): Promise<{ readonly parts: readonly Part[]; readonly url: string; readonly drop: () => Promise<void> }> {
  const { databases, options, say } = run
  const stand = await openAutomation(databases, options)
  const jobs = { count: options.isQuick ? 1000 : 5000, rounds: options.rounds }
  const measures: Readonly<Record<AutomationName, () => Promise<Partial<Part>>>> = {
    jobs: async () => ({ facts: await jobFacts(stand, run, jobs) }),
    runs: () => served(stand, async (running) => ({ facts: await runFacts(stand, running, options) })),
    peers: () => served(stand, async (running) => ({ facts: await peerFacts(stand, running, run) })),
    restart: async () => ({ facts: await restartFacts(stand, options) }),
    letters: async () => ({ facts: await letterFacts(stand, options) }),
    delivery: () => served(stand, async (running) => ({ facts: await deliveryFacts(running, options) })),
    enrolment: () =>
      served(stand, async (running) => ({
        facts: await enrolmentFacts(stand, running, { persons: waiting, options }),
      })),
    following: () => served(stand, async (running) => ({ rates: await costs(stand, running, run) })),
    waiting: async () => ({ facts: await waitingFacts(stand, waiting, jobs) }),
    listening: async () => ({ facts: await measureListening(stand, options) }),
    evaluated: async () => ({ facts: await measureEvaluation(stand, options) }),
    listed: async () => ({ rates: await measureListedRuns(stand, run.load, options, say) }),
    reads: async () => ({ facts: await measureLongReads(stand, options) }),
    idle: async () => ({ facts: await idleFacts(stand, options) }),
  }
  const parts: Part[] = []
  for (const name of namesOf('automation').filter((one): one is AutomationName => options.measurements.includes(one))) {
    const part: Part = { rates: [], facts: [], stages: [], ...(await measures[name]()), name }
    for (const { what, value } of part.facts) say(`${what}: ${value}`)
    parts.push(part)
  }
  return { parts, url: stand.url, drop: () => databases.drop('automation') }
}

async function served<T>(stand: AutomationStand, work: (running: Running) => Promise<T>): Promise<T> {
  const running = await stand.start()
  try {
    return await work(running)
  } finally {
    await running.server.stop()
  }
}

async function jobFacts(
  { url }: AutomationStand,
  { databases: { database } }: Run,
  jobs: { readonly count: number; readonly rounds: number },
): Promise<Fact[]> {
  const { enqueued, completed } = await measureJobs(url, jobs.count, jobs.rounds)
  const atLeast = jobsAtLeast(database)
  return [
    { what: 'jobs that do nothing, enqueued by thousands', value: `${count(enqueued)} /s` },
    {
      what: `jobs that do nothing, claimed and completed ≥ ${count(atLeast)} /s`,
      value: `${count(completed)} /s`,
      isMet: completed >= atLeast,
    },
  ]
}

async function runFacts(stand: AutomationStand, running: Running, options: Options): Promise<Fact[]> {
  const runs = options.isQuick ? 500 : 3000
  const perSecond = await measureRuns(stand, running, runs)
  return [
    {
      what: `runs of three steps, from event to end, creates by thousands included ≥ ${runsAtLeast} /s`,
      value: `${count(perSecond)} /s, of ${count(runs)}`,
      isMet: perSecond >= runsAtLeast,
    },
  ]
}

async function peerFacts(stand: AutomationStand, running: Running, { databases, options }: Run): Promise<Fact[]> {
  const { ours, peers } = await measureBesidePeers(databases, stand, running, {
    runs: options.isQuick ? 200 : 1500,
    single: options.isQuick ? 5 : 30,
    rounds: options.rounds,
  })
  const fastest = Math.max(...peers.map(({ perSecond }) => perSecond))
  return [
    {
      what: `runs of three steps ≥ ${timesPeers} times those of the faster peer`,
      value: [`${count(ours.perSecond)} /s`, ...peers.map((peer) => `${named(peer)} ${count(peer.perSecond)} /s`)].join(
        ', ',
      ),
      isMet: ours.perSecond >= timesPeers * fastest,
    },
    {
      what: `one run of three steps, from the request to its end ≤ ${singleMsMax} ms`,
      value: [`${count(ours.singleMs)} ms`, ...peers.map((peer) => `${named(peer)} ${count(peer.singleMs)} ms`)].join(
        ', ',
      ),
      isMet: ours.singleMs <= singleMsMax,
    },
  ]
}

async function restartFacts(stand: AutomationStand, options: Options): Promise<Fact[]> {
  const { left, runs, stored, again, seconds } = await measureRestart(stand, options.isQuick ? 500 : 3000)
  return [
    {
      what: `all runs have ended after kill -9 and a start < ${restartSecondsMax} s`,
      value: `${seconds.toFixed(1)} s, ${count(left)} of ${count(runs)} left`,
      isMet: seconds < restartSecondsMax,
    },
    { what: 'stored steps that ran again after kill -9', value: `${again} of ${count(stored)}`, isMet: again === 0 },
  ]
}

async function letterFacts(stand: AutomationStand, options: Options): Promise<Fact[]> {
  const letters = options.isQuick ? 500 : 3000
  const perSecond = await measureLetters(stand, letters)
  return [
    {
      what: `letters to a mail server on the same machine, from event to end of the run ≥ ${lettersAtLeast} /s`,
      value: `${count(perSecond)} /s, of ${count(letters)}`,
      isMet: perSecond >= lettersAtLeast,
    },
  ]
}

async function enrolmentFacts(
  stand: AutomationStand,
  running: Running,
  { persons, options }: { readonly persons: number; readonly options: Options },
): Promise<Fact[]> {
  const people = options.isQuick ? 2000 : Math.max(persons, enrolledAtLeast)
  const { seconds, begunSeconds, bytes, pages } = await measureEnrolment(stand, running, people)
  return [
    {
      what: `${count(people)} members of a list enrolled in a campaign < ${enrolmentSecondsMax} s`,
      value: `${seconds.toFixed(1)} s`,
      ...(people === enrolledAtLeast && { isMet: seconds < enrolmentSecondsMax }),
    },
    ...(begunSeconds === undefined
      ? []
      : [{ what: 'until each of them has done the first step', value: `${begunSeconds.toFixed(1)} s` }]),
    ...(bytes === undefined ? [] : [{ what: 'memory beyond that before the enrolment', value: mebibytes(bytes) }]),
    ...pages.map(({ what, recipientsMs, listMs }) => ({
      what: `recipients, 50 of ${count(people)}: ${what}`,
      value: `${count(recipientsMs)} ms, of the list of persons ${count(listMs)} ms`,
    })),
  ]
}

async function deliveryFacts(running: Running, options: Options): Promise<Fact[]> {
  const { p50, p95, most, perSecond } = await measureDeliveries(running, options.isQuick ? 5 : 30)
  return [
    {
      what: `event to first attempt of delivery, under 100 changes a second: 95th percentile < ${lagMsMax} ms`,
      value: `${p95} ms, median ${p50} ms, longest ${most} ms; ${count(perSecond)} changes/s`,
      // Fewer changes than those promise nothing, and more lag behind them is that of the load itself.
      ...(perSecond >= changesAtLeast && { isMet: p95 < lagMsMax }),
    },
  ]
}

async function costs(stand: AutomationStand, running: Running, { load, options, say }: Run): Promise<Rates[]> {
  const rates: Rates[] = []
  for (const open of [withoutEvents, beneathWorkflow]) {
    const { pair, stop } = await open(stand, running)
    rates.push(await measureRates(load, pair, options, say))
    await stop()
  }
  return rates
}

async function idleFacts(stand: AutomationStand, options: Options): Promise<Fact[]> {
  const { all, forWorkflows } = await measureIdle(stand, options.isQuick ? 20_000 : 120_000)
  return [
    {
      what: `statements for workflows in a minute in which nothing happens < ${idleMax}`,
      value: count(forWorkflows),
      isMet: forWorkflows < idleMax,
    },
    { what: 'statements of the whole server in that minute', value: count(all) },
  ]
}

const mebibytes = (bytes: number): string => `${(bytes / 2 ** 20).toFixed(0)} MiB`

async function waitingFacts(
  stand: AutomationStand,
  runs: number,
  options: { readonly count: number; readonly rounds: number },
): Promise<Fact[]> {
  const { filledPerSecond, startMs, bytes, jobs } = await measureWaiting(stand, runs, options)
  const facts: Fact[] = [
    { what: 'from event to waiting, creates by thousands included', value: `${count(filledPerSecond)} runs/s` },
    {
      what: `start with ${count(runs)} waiting runs < ${startMsMax} ms`,
      value: `${count(startMs)} ms`,
      isMet: startMs < startMsMax,
    },
    {
      what: `jobs claimed and completed beside ${count(runs)} waiting runs ≥ ${slowerMax} of those without`,
      value: `${count(jobs.waiting.completed)} /s, without ${count(jobs.before.completed)} /s`,
      isMet: jobs.waiting.completed >= slowerMax * jobs.before.completed,
    },
  ]
  if (bytes.before === undefined || bytes.waiting === undefined) return facts
  return [
    ...facts,
    {
      what: `memory after a start with ${count(runs)} waiting runs ≤ ${memoryMax} times that without`,
      value: `${mebibytes(bytes.waiting)}, without ${mebibytes(bytes.before)}`,
      isMet: bytes.waiting <= memoryMax * bytes.before,
    },
  ]
}
