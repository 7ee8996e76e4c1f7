/**
 * `node main.ts NAME URL RUNS SINGLE`: so many runs at once and then single ones, one after another, in a process
 * that does nothing else. Prints what came out as JSON.
 */
import { openDbos } from './dbos.ts'
import { openOpenWorkflow } from './openworkflow.ts'
import type { Peer } from './peer.ts'

export type PeerName = 'dbos' | 'openworkflow'

/** Runs a second, and the milliseconds of each single run. */
export type PeerFigures = { readonly perSecond: number; readonly singleMs: readonly number[] }

const peers: Readonly<Record<PeerName, (url: string) => Promise<Peer>>> = {
  dbos: openDbos,
  openworkflow: openOpenWorkflow,
}

const [name, url, runs, single] = process.argv.slice(2)
const peer = await peers[name as PeerName](url as string)
const started = performance.now()
await peer.runAll(Number(runs))
const perSecond = (Number(runs) * 1000) / (performance.now() - started)
const singleMs: number[] = []
for (let number = 0; number < Number(single); number++) singleMs.push(await peer.runOne())
await peer.close()
process.stdout.write(`${JSON.stringify({ perSecond, singleMs } satisfies PeerFigures)}\n`)
process.exit(0)
