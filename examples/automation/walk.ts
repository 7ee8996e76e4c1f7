/**
 * Orders come from outside, and a workflow looks after them: a deal for a company, a branch on its amount, a wait, a
 * comment, a signed webhook to a program that refuses it twice, an e-mail; a subscription tells another program of each
 * deal, which refuses that twice too. Once undisturbed, once with the server killed (-9) at three fault points, and
 * once with it killed every second until all is done: the same comes of it, and nothing is done twice that was stored
 * as done.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, resources, type RestClient } from '@kontor/client'
import { companyColumns, importFile } from '../files.ts'
import { startMailServer, type MailServer } from '../mail-server.ts'
import { createPersonalKey, kontor, startServer, type Server } from '../shell.ts'
import { inNewFolder } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { checkOutside } from './check.ts'
import { faultPoints, killEverySecond, startMortal, type Host } from './mortal.ts'
import { startReceiver, type Receiver } from './outside.ts'
import { isTold, subscribe, type Subscription } from './subscription.ts'
import { DoneSteps, readOutcomes, withoutAttempts, type Outcome, type Place } from './watch.ts'
import { createWorkflow, largeFrom } from './workflows.ts'

/** A large order, and a small one. */
const amounts = [2 * largeFrom, largeFrom / 2] as const
/** Ends what hangs. */
const patienceMs = 600_000

/** The programs outside that are told: by the workflow, and by the subscription. */
type Receivers = readonly [Receiver, Receiver]

/** A workspace with its companies, its workflow and its subscription, and the programs outside that are told. */
type Stage = Place & {
  readonly key: string
  readonly companies: readonly string[]
  readonly receiver: Receiver
  readonly subscription: Subscription
}

const clientOf = ({ server: { baseUrl } }: Host, { key }: Pick<Stage, 'key'>): RestClient =>
  createRestClient({ url: baseUrl, apiKey: key })

async function prepare(host: Host, workspace: string, [receiver, subscriber]: Receivers): Promise<Stage> {
  const email = `ada@${workspace}.example.com`
  await kontor('workspace', 'create', '--slug', workspace, '--name', workspace, '--admin-email', email)
  const key = await createPersonalKey(workspace, email)
  const { baseUrl } = host.server
  Object.assign(process.env, { KONTOR_BASE_URL: baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: key })
  assert.equal((await importFile('company', 'companies.csv', companyColumns, 'domains')).created, 503)
  const rest = clientOf(host, { key })
  const { body } = await rest.call(resources.list, {
    workspace,
    object: 'company',
    sortOrder: { column: 'name', dir: 'ASC' },
    page: { limit: amounts.length },
  })
  const companies = body.data.map(({ attributes }) => String(attributes['name']))
  const { workflow, secret } = await createWorkflow(rest, workspace, { person: { email }, receiver: receiver.url })
  receiver.expect(secret)
  const subscription = await subscribe(rest, workspace, subscriber)
  return { workspace, workflow, key, companies, receiver, subscription }
}

/** Sends an order as any program would that knows the address and nothing else: again until it is taken. */
async function order({ workspace, workflow, companies }: Stage, number: number, host: Host): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${host.server.baseUrl}/webhooks/workflows/${workspace}/${workflow}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'webhook-id': `order_${number}` },
        body: JSON.stringify({ number, company: companies[number], amount: amounts[number] }),
      })
      if (response.ok) return
    } catch {
      // The server is away; it comes back.
    }
    await sleep(200)
  }
}

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const started = performance.now(); !(await holds()); await sleep(250))
    assert.ok(performance.now() - started < patienceMs, `not in time: ${what}`)
}

/** The server may die while it is asked. */
function unlessAway(error: unknown): false {
  if (error instanceof assert.AssertionError) throw error
  return false
}

/** Waits until the workflow has run for every order, and every deal has been told of. */
async function settle(host: Host, stage: Stage, done: DoneSteps): Promise<void> {
  const { workspace, subscription } = stage
  const asked = new Set<string>()
  const haveRun = () => done.look(clientOf(host, stage), stage, amounts.length)
  const areTold = () => isTold(clientOf(host, stage), workspace, subscription, amounts.length, asked)
  await until(() => haveRun().catch(unlessAway), 'the runs have ended')
  await until(() => areTold().catch(unlessAway), 'all deals are told of')
}

/** Reads what has come of the orders, and prints it. */
async function show(host: Host, stage: Stage): Promise<Outcome[]> {
  const outcomes = await readOutcomes(clientOf(host, stage), stage)
  for (const { deal, amount, stage: reached, company, history, run, steps } of outcomes) {
    tell(`${deal} of ${String(company)}, ${String(amount)}: ${String(reached)}; ${history.join(', ')}`)
    tell(`  its run, ${run}: ${steps.join(', ')}`)
  }
  return outcomes
}

async function undisturbed(stage: Stage, host: Host): Promise<Outcome[]> {
  step('Two orders, undisturbed')
  await Promise.all(amounts.map((_, number) => order(stage, number, host)))
  await settle(host, stage, new DoneSteps())
  return show(host, stage)
}

/** The same orders, while each server dies at the next fault point and the last one stays. */
async function killedAtPoints(stage: Stage, host: Host): Promise<Outcome[]> {
  step(`Two orders, with the server killed at ${faultPoints.length} fault points`)
  await host.server.stop()
  const done = new DoneSteps()
  const sending: Promise<void>[] = []
  for (const [index, point] of faultPoints.entries()) {
    host.server = await startMortal(point)
    if (index > 0) await done.look(clientOf(host, stage), stage, amounts.length).catch(unlessAway)
    if (index < amounts.length) sending.push(order(stage, index, host))
    await deathOf(host.server)
    tell(`killed ${point.moment} a commit that writes ${point.table}: ${point.means}`)
  }
  host.server = await startServer()
  await done.look(clientOf(host, stage), stage, amounts.length)
  tell(`${done.size} steps were stored as done before the last server began`)
  await Promise.all(sending)
  await settle(host, stage, done)
  return show(host, stage)
}

/** The same orders, while the server is killed every second until all is done. */
async function killedEverySecond(stage: Stage, host: Host): Promise<Outcome[]> {
  step('Two orders, with the server killed every second')
  await host.server.stop()
  const work = async (): Promise<void> => {
    await Promise.all(amounts.map((_, number) => order(stage, number, host)))
    await settle(host, stage, new DoneSteps())
  }
  tell(`killed ${await killEverySecond(host, work())} times`)
  return show(host, stage)
}

const deathOf = ({ ended }: Server): Promise<unknown> =>
  Promise.race([
    ended,
    sleep(patienceMs, undefined, { ref: false }).then(() => assert.fail('the server has not come to its fault point')),
  ])

async function walk(mailServer: MailServer, [calm, rough, rougher]: readonly Receivers[]): Promise<void> {
  assert.ok(calm && rough && rougher)
  const host: Host = { server: await startServer() }
  const check = (stage: Stage, again?: number): void =>
    checkOutside(stage, mailServer.letters.splice(0), { deals: amounts.length, ...(again !== undefined && { again }) })
  try {
    step('Three workspaces with 503 companies and a workflow each')
    const stages = [
      await prepare(host, 'calm', calm),
      await prepare(host, 'rough', rough),
      await prepare(host, 'rougher', rougher),
    ] as const
    const expected = await undisturbed(stages[0], host)
    check(stages[0], 0)
    const atPoints = await killedAtPoints(stages[1], host)
    check(stages[1], 1)
    const everySecond = await killedEverySecond(stages[2], host)
    check(stages[2])
    step('The same has come of all three')
    assert.deepEqual(atPoints, expected)
    assert.deepEqual(withoutAttempts(everySecond), withoutAttempts(expected))
  } finally {
    await host.server.stop()
  }
}

const mailServer = await startMailServer()
const startBoth = async (): Promise<Receivers> => [await startReceiver(), await startReceiver()]
const receivers = [await startBoth(), await startBoth(), await startBoth()]
const settings = {
  SMTP_URL: mailServer.url,
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
}
try {
  await inNewFolder('automation', settings, () => walk(mailServer, receivers))
} finally {
  for (const { stop } of receivers.flat()) stop()
  await mailServer.stop()
}
