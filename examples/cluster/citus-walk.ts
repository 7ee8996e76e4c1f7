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
import { checkWorkspace, openWorkspace, type LoadedWorkspace } from './workspace.ts'

type Options = { readonly seed: number; readonly rate: number; readonly faults: number }

/** Longer than the proxy needs to see that a node is away, or is there again. */
const awayMs = 12_000
const recoveredMs = 8000

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

/** Kills the node with -9, restarts servers and workers in turn meanwhile, and starts it again. */
async function kill(node: Postgres, { servers, workers }: Front, loads: readonly Load[]): Promise<void> {
  await Promise.all(loads.map((load) => load.begin('node killed')))
  await node.end('SIGKILL')
  await sleep(awayMs)
  for (const load of loads) load.phase = 'rolling without node'
  await inTurn([...servers, ...workers], 'restart')
  for (const load of loads) load.phase = 'node killed'
  await startAgain(node)
  await sleep(recoveredMs)
}

/** Stops all processes of the node for a while: connections to it are accepted, and get no response. */
async function hang(node: Postgres, loads: readonly Load[]): Promise<void> {
  await Promise.all(loads.map((load) => load.begin('node hangs')))
  node.signal('SIGSTOP')
  await sleep(awayMs)
  node.signal('SIGCONT')
  await sleep(recoveredMs)
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
  for (const load of loads) load.start(rate / loads.length)
  await sleep(5000)

  step('Restart servers and workers in turn')
  await Promise.all(loads.map((load) => load.begin('rolling')))
  await inTurn([...front.servers, ...front.workers], 'restart')

  step(`Do harm ${faults} times: kill or pause servers and workers, end connections, restart the coordinator`)
  await Promise.all(loads.map((load) => load.begin('faults')))
  await doHarm({ ...front, primary: citus.coordinator }, faults, seed)
  await sleep(8000)

  const killed = seed % citus.nodes.length
  const hanging = 1 - killed
  step('Kill one of the two nodes, restart servers and workers in turn, and start the node again')
  await kill(citus.nodes[killed] as Postgres, front, loads)
  step(`Stop the other node for ${awayMs / 1000} s: it accepts connections, and does not respond`)
  await hang(citus.nodes[hanging] as Postgres, loads)
  await Promise.all(loads.map((load) => load.begin('after')))
  await sleep(5000)
  for (const load of loads) await load.stop()

  for (const [at, workspace] of workspaces.entries()) {
    step(`Compare what was acknowledged with what is stored, on the node that ${at === killed ? 'was killed' : 'hung'}`)
    checkResponses(workspace.load, at === killed ? ['node killed', 'rolling without node'] : ['node hangs'])
    await checkWorkspace(workspace, mailServer)
    await workspace.close()
  }

  step('Verify the stored data')
  tell((await kontorText('doctor', '--deep', '--base-url', front.baseUrl)).trimEnd().replaceAll('\n', '\n   '))
}
