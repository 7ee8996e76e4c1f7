/**
 * Orders come from outside, and a workflow looks after them: a deal for a company, a branch on its amount, a wait, a
 * comment, a signed webhook to a program that refuses it twice, an e-mail. Once undisturbed, and once with the server
 * killed (-9) at three fault points: the same comes of it, and nothing is done twice that was stored as done.
 *
 * DATABASE_URL runs the same on Postgres.
 */
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRestClient, resources, type RestClient } from '@kontor/client'
import { companyColumns, importFile } from '../files.ts'
import { startMailServer, type Letter, type MailServer } from '../mail-server.ts'
import { createPersonalKey, kontor, startServer, type Server } from '../shell.ts'
import { inNewFolder } from '../stand.ts'
import { step, tell } from '../tell.ts'
import { faultPoints, startMortal } from './mortal.ts'
import { startReceiver, verify, type Receiver } from './outside.ts'
import { DoneSteps, readOutcomes, type Outcome, type Place } from './watch.ts'
import { createWorkflow, largeFrom } from './workflows.ts'

/** A large order, and a small one. */
const amounts = [2 * largeFrom, largeFrom / 2] as const
const patienceMs = 180_000

/** A workspace with its companies and its workflow, and the program outside that is told. */
type Stage = Place & {
  readonly key: string
  readonly secret: string
  readonly companies: readonly string[]
  readonly receiver: Receiver
}

/** The server that runs now. */
type Host = { server: Server }

const clientOf = ({ server: { baseUrl } }: Host, { key }: Pick<Stage, 'key'>): RestClient =>
  createRestClient({ url: baseUrl, apiKey: key })

async function prepare(host: Host, workspace: string, receiver: Receiver): Promise<Stage> {
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
  const made = await createWorkflow(rest, workspace, { person: { email }, receiver: receiver.url })
  return { workspace, key, companies, receiver, ...made }
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

/** Waits until the workflow has run for every order. */
async function settle(host: Host, stage: Stage, done: DoneSteps): Promise<Outcome[]> {
  const rest = clientOf(host, stage)
  for (const started = performance.now(); !(await done.look(rest, stage, amounts.length)); await sleep(250))
    assert.ok(performance.now() - started < patienceMs, 'the runs do not end')
  return readOutcomes(rest, stage)
}

/** Prints what has come of the orders. */
function show(outcomes: readonly Outcome[]): void {
  for (const { deal, amount, stage, company, history, run, steps } of outcomes) {
    tell(`${deal} of ${String(company)}, ${String(amount)}: ${String(stage)}; ${history.join(', ')}`)
    tell(`  its run, ${run}: ${steps.join(', ')}`)
  }
}

async function undisturbed(stage: Stage, host: Host): Promise<Outcome[]> {
  step('Two orders, undisturbed')
  await Promise.all(amounts.map((_, number) => order(stage, number, host)))
  const outcomes = await settle(host, stage, new DoneSteps())
  show(outcomes)
  return outcomes
}

/** The same orders, while each server dies at the next fault point and the last one stays. */
async function killed(stage: Stage, host: Host): Promise<Outcome[]> {
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
  const outcomes = await settle(host, stage, done)
  show(outcomes)
  return outcomes
}

/** The server may die while it is asked. */
function unlessAway(error: unknown): void {
  if (error instanceof assert.AssertionError) throw error
}

const deathOf = ({ ended }: Server): Promise<unknown> =>
  Promise.race([
    ended,
    sleep(patienceMs, undefined, { ref: false }).then(() => assert.fail('the server has not come to its fault point')),
  ])

/**
 * The large deal was told under one id, signed, and at last with success; the letter came once. `again` is how often
 * the receiver got what it had taken before, since nothing here could know.
 */
function checkOutside({ receiver: { received }, secret }: Stage, letters: readonly Letter[], again: number): void {
  for (const one of received) verify(one, secret)
  assert.deepEqual(
    received.map(({ status }) => status),
    [503, 503, 200, ...Array.from({ length: again }, () => 200)],
  )
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(new Set(received.map(({ text }) => text)).size, 1)
  assert.deepEqual(
    letters.map(({ subject }) => subject),
    ['Order 0'],
  )
  tell(`${received.length} signed requests under one id, two of them refused; one e-mail`)
}

async function walk(mailServer: MailServer, receivers: readonly [Receiver, Receiver]): Promise<void> {
  const host: Host = { server: await startServer() }
  try {
    step('Two workspaces with 503 companies and a workflow each')
    const calm = await prepare(host, 'calm', receivers[0])
    const rough = await prepare(host, 'rough', receivers[1])
    const expected = await undisturbed(calm, host)
    checkOutside(calm, mailServer.letters.splice(0), 0)
    const outcomes = await killed(rough, host)
    checkOutside(rough, mailServer.letters, 1)
    step('The same has come of both')
    assert.deepEqual(outcomes, expected)
  } finally {
    await host.server.stop()
  }
}

const mailServer = await startMailServer()
const receivers = [await startReceiver(), await startReceiver()] as const
const settings = {
  SMTP_URL: mailServer.url,
  WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
  ENCRYPTION_KEYS: 'a key of at least thirty-two characters',
}
try {
  await inNewFolder('automation', settings, () => walk(mailServer, receivers))
} finally {
  for (const { stop } of receivers) stop()
  await mailServer.stop()
}
