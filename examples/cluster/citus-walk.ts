import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { MailServer } from '../mail-server.ts'
import { kontorText } from '../shell.ts'
import { step, tell } from '../tell.ts'
import { checkResponses } from './check.ts'
import { startAgain, startCitus, type Citus } from './citus.ts'
import { startFront, type Front } from './cluster.ts'
import { doHarm } from './faults.ts'
import type { Load } from './load.ts'
import { inTurn } from './nodes.ts'
import type { Postgres } from './postgres.ts'
import type { Phase } from './responses.ts'
import { checkWorkspace, openWorkspace, type LoadedWorkspace } from './workspace.ts'

type Options = { readonly seed: number; readonly rate: number; readonly faults: number }

/** Longer than the proxy needs to see that a node is away, or is there again. */
const awayMs = 12_000
const recoveredMs = 5000

/** Changes that waited for a node are done once no more are open than a moment of the load has. */
const openMax = 20
const patienceMs = 120_000

/** The processes of a killed node end once they notice it. */
const goneMs = 500

const slugs = ['north', 'south', 'east', 'west', 'centre', 'coast', 'hills', 'lakes', 'valley', 'plains'] as const

/** Creates workspaces until each node has one, and returns the last of each node. */
async function openOnEach({ nodes, nodeOf }: Citus, baseUrl: string): Promise<LoadedWorkspace[]> {
  const onNode = new Map<Postgres, LoadedWorkspace>()
  for (const slug of slugs) {
    const opened = await openWorkspace(baseUrl, slug)
    const node = nodeOf(opened.id)
    await onNode.get(node)?.close()
    onNode.set(node, opened)
    if (onNode.size === nodes.length) break
  }
  return nodes.map((node) => {
    const opened = onNode.get(node)
    assert.ok(opened !== undefined, `none of ${slugs.length} workspaces is on ${node.folder}`)
    return opened
  })
}

/** Waits until what waited for a node is done. */
async function untilServed(loads: readonly Load[]): Promise<void> {
  await sleep(recoveredMs)
  for (const started = performance.now(); loads.some(({ open }) => open > openMax); await sleep(200))
    assert.ok(performance.now() - started < patienceMs, 'changes still wait for a node that is back')
}

/** Kills the node with -9, restarts servers and workers in turn meanwhile, and starts it again. */
async function kill(node: Postgres, { servers, workers }: Front, begin: (phase: Phase) => void): Promise<void> {
  begin('node goes')
  await node.end('SIGKILL')
  await sleep(goneMs)
  begin('node killed')
  await sleep(awayMs)
  begin('rolling without node')
  await inTurn([...servers, ...workers], 'restart')
  begin('node returns')
  await startAgain(node)
}

/** Stops all processes of the node for a while: connections to it are accepted, and get no response. */
async function hang(node: Postgres, begin: (phase: Phase) => void): Promise<void> {
  begin('node goes')
  node.signal('SIGSTOP')
  begin('node hangs')
  await sleep(awayMs)
  begin('node returns')
  node.signal('SIGCONT')
}

/** Walks on three nodes of Citus: one of those with the rows of workspaces is killed. */
export async function walkOnCitus(folder: string, mailServer: MailServer, options: Options): Promise<void> {
  const { seed, rate, faults } = options
  const citus = await startCitus(folder)
  const front = await startFront(folder, citus.coordinator)
  step('Distribute the tables, while the servers run')
  tell((await kontorText('migrate', '--distribute')).trimEnd().replaceAll('\n', '\n   '))

  step(`A workspace on each node, and ${rate} requests for each second (seed ${seed})`)
  const workspaces = await openOnEach(citus, front.baseUrl)
  const loads = workspaces.map(({ load }) => load)
  const begin = (phase: Phase): void => {
    for (const load of loads) load.phase = phase
  }
  for (const load of loads) load.start(rate / loads.length)
  await sleep(5000)

  step('Restart servers and workers in turn')
  begin('rolling')
  await inTurn([...front.servers, ...front.workers], 'restart')

  step(`Do harm ${faults} times: kill or pause servers and workers, end connections, restart the coordinator`)
  begin('faults')
  await doHarm({ ...front, primary: citus.coordinator }, faults, seed)
  await untilServed(loads)

  const killed = seed % citus.nodes.length
  const hanging = 1 - killed
  step('Kill one of the two nodes, restart servers and workers in turn, and start the node again')
  await kill(citus.nodes[killed] as Postgres, front, begin)
  await untilServed(loads)
  step(`Stop the other node for ${awayMs / 1000} s: it accepts connections, and does not respond`)
  await hang(citus.nodes[hanging] as Postgres, begin)
  await untilServed(loads)
  begin('after')
  await sleep(5000)
  await Promise.all(loads.map((load) => load.stop()))

  for (const [at, workspace] of workspaces.entries()) {
    step(`Compare what was acknowledged with what is stored, on the node that ${at === killed ? 'was killed' : 'hung'}`)
    checkResponses(workspace.load, at === killed ? ['node killed', 'rolling without node'] : ['node hangs'])
    await checkWorkspace(workspace, mailServer)
    await workspace.close()
  }

  step('Verify the stored data')
  tell((await kontorText('doctor', '--deep', '--base-url', front.baseUrl)).trimEnd().replaceAll('\n', '\n   '))
}
