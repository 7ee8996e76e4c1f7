import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Databases } from '../databases.ts'
import type { PeerFigures, PeerName } from '../peers/main.ts'
import { median } from '../rates.ts'
import { measureRuns, measureSingle } from './runs.ts'
import type { AutomationStand, Running } from './stand.ts'

const script = fileURLToPath(new URL('../peers/main.ts', import.meta.url))

export type Beside = { readonly runs: number; readonly single: number; readonly rounds: number }

/** Runs of three steps a second, and the median of single ones in milliseconds. */
type Figures = { readonly perSecond: number; readonly singleMs: number }

export type BesidePeers = { readonly ours: Figures; readonly peers: readonly (Figures & { readonly name: PeerName })[] }

/** The same three steps in each engine, one round of each in turn, upon databases of the same kind. */
export async function measureBesidePeers(
  databases: Databases,
  stand: AutomationStand,
  running: Running,
  beside: Beside,
): Promise<BesidePeers> {
  const names: readonly PeerName[] = databases.database === 'postgres' ? ['dbos', 'openworkflow'] : ['openworkflow']
  const ours: PeerFigures[] = []
  const theirs = new Map<PeerName, PeerFigures[]>(names.map((name) => [name, []]))
  for (let round = 0; round < beside.rounds; round++) {
    ours.push({
      perSecond: await measureRuns(stand, running, beside.runs),
      singleMs: await measureSingle(stand, running, beside.single),
    })
    for (const [name, figures] of theirs) figures.push(await figuresOf(databases, name, beside))
  }
  return {
    ours: medians(ours),
    peers: [...theirs].map(([name, figures]) => ({ name, ...medians(figures) })),
  }
}

const medians = (rounds: readonly PeerFigures[]): Figures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  singleMs: median(rounds.flatMap(({ singleMs }) => singleMs)),
})

/** In a process of its own, which starts the runs itself: a request over HTTP is spared. */
async function figuresOf(databases: Databases, name: PeerName, { runs, single }: Beside): Promise<PeerFigures> {
  const url = new URL(await databases.create(`peer_${name}`))
  const host = url.searchParams.get('host')
  // The client that OpenWorkflow has finds a socket by its environment alone.
  const reached = name === 'openworkflow' && host !== null ? `postgres://${url.pathname}` : url.href
  const { stdout } = await promisify(execFile)(process.execPath, [script, name, reached, `${runs}`, `${single}`], {
    env: { ...process.env, ...(host !== null && { PGHOST: host, PGUSER: url.username }) },
  })
  await databases.drop(`peer_${name}`)
  return JSON.parse(stdout) as PeerFigures
}
