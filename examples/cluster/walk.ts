/**
 * HAProxy before three servers, two workers, and a primary of Postgres with a synchronous standby, all on this machine.
 * Under a constant load the nodes are restarted and upgraded in turn, then harm is done at random, and the standby is
 * promoted after the primary was killed. What was acknowledged is there once, and `kontor doctor --deep` finds no
 * difference.
 *
 * Needs Postgres and HAProxy. SEED repeats the moments of a walk, RATE sets the requests for each second, FAULTS how
 * often harm is done. With CITUS=1 the database is a coordinator and two nodes of Citus instead, one of which is killed
 * and started again.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { startMailServer, type MailServer } from '../mail-server.ts'
import { kontorText } from '../shell.ts'
import { inNewFolder } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { checkReplicas, checkResponses } from './check.ts'
import { hasCitus } from './citus.ts'
import { walkOnCitus } from './citus-walk.ts'
import { startFront, type Front } from './cluster.ts'
import { doHarm } from './faults.ts'
import type { Load } from './load.ts'
import { inTurn } from './nodes.ts'
import { promote, startPostgres, type Postgres } from './postgres.ts'
import { endPrograms } from './processes.ts'
import { checkWorkspace, openWorkspace } from './workspace.ts'

const seed = Number(process.env['SEED'] ?? 1)
const rate = Number(process.env['RATE'] ?? 40)
const faults = Number(process.env['FAULTS'] ?? 8)
const serviceReturnsMs = 10_000

type Cluster = Front & { readonly primary: Postgres; readonly standby: Postgres }

async function startCluster(folder: string): Promise<Cluster> {
  const { primary, standby } = await startPostgres(folder)
  return { ...(await startFront(folder, primary, standby)), primary, standby }
}

/** Kills the primary, promotes the standby, and returns after how many milliseconds a change was acknowledged. */
async function failOver({ primary, standby }: Cluster, load: Load): Promise<number> {
  await primary.end('SIGKILL')
  await sleep(500)
  const promotedAt = performance.now()
  promote(standby)
  while (load.acknowledgedAt < promotedAt) {
    assert.ok(performance.now() - promotedAt < 2 * serviceReturnsMs, 'no change was acknowledged after the promotion')
    await sleep(20)
  }
  return load.acknowledgedAt - promotedAt
}

async function walk(folder: string, mailServer: MailServer): Promise<void> {
  const cluster = await startCluster(folder)
  step(`A workspace, and ${rate} requests for each second (seed ${seed})`)
  const workspace = await openWorkspace(cluster.baseUrl, 'north')
  const { load } = workspace
  load.start(rate)
  await sleep(5000)

  await checkReplicas(cluster.ports)

  step('Restart servers and workers in turn')
  load.phase = 'rolling'
  const nodes = [...cluster.servers, ...cluster.workers]
  await inTurn(nodes, 'restart')

  step('Upgrade servers and workers in turn to a version with one more migration')
  load.phase = 'upgrade'
  await inTurn(nodes, 'upgrade')
  tell((await kontorText('migrate', '--status')).trimEnd().split('\n').at(-1) ?? '')

  step(`Do harm ${faults} times: kill or pause nodes, end connections, restart Postgres`)
  load.phase = 'faults'
  await doHarm(cluster, faults, seed)

  step('Kill the primary, and promote the standby')
  load.phase = 'fail-over'
  const ms = await failOver(cluster, load)
  tell(`the first change was acknowledged ${(ms / 1000).toFixed(1)} s after the promotion`)
  assert.ok(ms < serviceReturnsMs)
  await sleep(8000)
  load.phase = 'after'
  await sleep(5000)
  await load.stop()

  step('Compare what was acknowledged with what is stored')
  checkResponses(load)
  await checkWorkspace(workspace, mailServer)
  await workspace.close()

  step('Verify the stored data')
  tell((await kontorText('doctor', '--deep', '--base-url', cluster.baseUrl)).trimEnd().replaceAll('\n', '\n   '))
}

const settings = {
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
  RATE_LIMIT_PER_MINUTE: '0',
  POOL_PROCESSES: '2',
}

/** Runs a walk in a folder of its own, and ends its programs however it ends. */
async function run(title: string, work: (folder: string, mailServer: MailServer) => Promise<void>): Promise<void> {
  const mailServer = await startMailServer()
  const inFolder = async (): Promise<void> => {
    try {
      await work(String(process.env['DATA_DIR']), mailServer)
    } finally {
      await endPrograms()
    }
  }
  try {
    await inNewFolder('cluster', { ...settings, SMTP_URL: mailServer.url }, inFolder, title)
  } finally {
    await mailServer.stop()
  }
}

const servers = 'Start HAProxy, three servers and two workers on'
if (process.env['CITUS'] !== '1') await run(`${servers} Postgres with a standby`, walk)
else if (hasCitus())
  await run(`${servers} three nodes of Citus`, (folder, mailServer) =>
    walkOnCitus(folder, mailServer, { seed, rate, faults }),
  )
else
  tell(
    'Skipped: there is no Citus beside the Postgres that was found. Set POSTGRES_BIN to the programs of a Postgres ' +
      'whose share folder has extension/citus.control.',
  )
