/**
 * Orders come from outside, and workflows look after them: deals, a wait, an owner, a comment, a signed webhook to a
 * program that refuses it twice, an e-mail. Once undisturbed, and once with the server killed (-9) every second: the
 * same comes of it.
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
import { startReceiver, verify, type Receiver } from './outside.ts'
import { DoneSteps, readOutcomes, type Outcome, type Place } from './watch.ts'
import { createWorkflows, largeFrom } from './workflows.ts'

const orders = 10
const kills = 10
const patienceMs = 120_000

/** A workspace with its companies and workflows, and those outside who are told. */
type Stage = Place & {
  readonly key: string
  readonly secret: string
  readonly companies: readonly string[]
  readonly receiver: Receiver
}

const clientOf = ({ baseUrl }: Server, { key }: Pick<Stage, 'key'>): RestClient =>
  createRestClient({ url: baseUrl, apiKey: key })

async function prepare(server: Server, workspace: string, receiver: Receiver): Promise<Stage> {
  const email = `ada@${workspace}.example.com`
  const { user } = await kontor<{ user: { id: string } }>(
    'workspace',
    'create',
    '--slug',
    workspace,
    '--name',
    workspace,
    '--admin-email',
    email,
  )
  const key = await createPersonalKey(workspace, email)
  Object.assign(process.env, { KONTOR_BASE_URL: server.baseUrl, KONTOR_WORKSPACE: workspace, KONTOR_API_KEY: key })
  assert.equal((await importFile('company', 'companies.csv', companyColumns, 'domains')).created, 503)
  const rest = clientOf(server, { key })
  const { body } = await rest.call(resources.list, {
    workspace,
    object: 'company',
    sortOrder: { column: 'name', dir: 'ASC' },
    page: { limit: orders },
  })
  const companies = body.data.map(({ attributes }) => String(attributes['name']))
  const { secret, ...workflows } = await createWorkflows(rest, workspace, {
    person: { id: user.id, email },
    receiver: receiver.url,
  })
  return { workspace, key, secret, workflows, companies, receiver }
}

const amountOf = (number: number): number => (number % 2 === 0 ? 2 : 0.5) * largeFrom

/** Sends an order as any program would that knows the address and nothing else: again until it is taken. */
async function order({ workspace, workflows, companies }: Stage, number: number, address: () => string): Promise<void> {
  for (;;) {
    try {
      const response = await fetch(`${address()}/webhooks/workflows/${workspace}/${workflows.orders}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'webhook-id': `order_${number}` },
        body: JSON.stringify({ number, company: companies[number], amount: amountOf(number) }),
      })
      if (response.ok) return
    } catch {
      // The server is away; it comes back.
    }
    await sleep(200)
  }
}

const sendAll = (stage: Stage, address: () => string): Promise<unknown> =>
  Promise.all(
    Array.from({ length: orders }, (_, number) => sleep(number * 500).then(() => order(stage, number, address))),
  )

/** Waits until both workflows have run for every order. */
async function settle(server: Server, stage: Stage, done: DoneSteps): Promise<Outcome[]> {
  const rest = clientOf(server, stage)
  for (const started = performance.now(); !(await done.look(rest, stage, 2 * orders)); await sleep(250))
    assert.ok(performance.now() - started < patienceMs, 'the runs do not end')
  return readOutcomes(rest, stage)
}

/** Every large deal was told of, under one id that is its own, signed, and at last with success. */
function checkTold({ receiver, secret }: Stage, sent: readonly Letter[], outcomes: readonly Outcome[]): void {
  const large = outcomes.filter(({ isAssigned }) => isAssigned).map(({ deal }) => deal)
  assert.equal(large.length, orders / 2)
  for (const one of receiver.received) verify(one, secret)
  const byDeal = Map.groupBy(receiver.received, ({ text }) => (JSON.parse(text) as { deal: string }).deal)
  assert.deepEqual([...byDeal.keys()].toSorted(), large)
  const ids = [...byDeal.values()].map((requests) => new Set(requests.map(({ headers }) => headers['webhook-id'])))
  assert.ok(ids.every(({ size }) => size === 1))
  assert.equal(new Set(ids.flatMap((one) => [...one])).size, large.length)
  for (const requests of byDeal.values()) assert.ok(requests.some(({ status }) => status === 200))
  assert.equal(receiver.received.filter(({ status }) => status === 503).length, 2)
  const letters = Map.groupBy(sent, ({ subject }) => subject)
  assert.deepEqual([...letters.keys()].toSorted(), large)
  for (const copies of letters.values()) assert.equal(new Set(copies.map(({ messageId }) => messageId)).size, 1)
  tell(
    `${large.length} large deals: ${receiver.received.length} signed requests under ${large.length} ids, ` +
      `two of them refused; ${sent.length} e-mails under ${letters.size} ids`,
  )
}

async function undisturbed(stage: Stage, server: Server): Promise<Outcome[]> {
  step(`${orders} orders, undisturbed`)
  await sendAll(stage, () => server.baseUrl)
  const outcomes = await settle(server, stage, new DoneSteps())
  for (const { deal, amount, stage: at, steps } of outcomes.slice(0, 2))
    tell(`${deal}, ${String(amount)}: ${String(at)}; ${steps.join(', ')}`)
  return outcomes
}

/** The server that runs now. */
type Host = { server: Server }

/** Kills each server a second after it began to serve; the last one stays. */
async function killed(stage: Stage, host: Host): Promise<Outcome[]> {
  step(`${orders} orders, while the server is killed every second`)
  const done = new DoneSteps()
  const sent = sendAll(stage, () => host.server.baseUrl)
  for (let kill = 0; kill < kills; kill++) {
    await Promise.all([sleep(1000), done.look(clientOf(host.server, stage), stage, 2 * orders)])
    await host.server.kill()
    host.server = await startServer()
  }
  await sent
  tell(`killed ${kills} times; ${done.size} steps were done when the last of them was looked at`)
  return settle(host.server, stage, done)
}

async function walk(mailServer: MailServer, receivers: readonly [Receiver, Receiver]): Promise<void> {
  const host: Host = { server: await startServer() }
  try {
    step('Two workspaces with 503 companies and two workflows each')
    const calm = await prepare(host.server, 'calm', receivers[0])
    const rough = await prepare(host.server, 'rough', receivers[1])
    const expected = await undisturbed(calm, host.server)
    checkTold(calm, mailServer.letters.splice(0), expected)
    const outcomes = await killed(rough, host)
    checkTold(rough, mailServer.letters, outcomes)
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
