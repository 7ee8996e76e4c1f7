import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { resources, workflows, type RestClient } from '@kontor/client'
import type { Receiver } from '../automation/outside.ts'
import type { MailServer } from '../mail-server.ts'
import { tell } from '../tell.ts'
import type { Load, Target } from './load.ts'
import type { Counted, Phase, Status } from './responses.ts'

const patienceMs = 300_000

/** Lists a text attribute of every record of an object. */
async function listValues(rest: RestClient, { workspace }: Target, object: string, field: string): Promise<string[]> {
  const values: string[] = []
  for await (const { attributes } of rest.all(resources.list, { workspace, object, page: { limit: 100 } }))
    values.push(String(attributes[field]))
  return values
}

/**
 * Waits until every accepted order has run to its end, and returns how the runs ended. A run ends with `worker_lost`
 * where two workers were killed during the same step of it, and is retried.
 */
export async function settle(rest: RestClient, { workspace, workflow: id }: Target, load: Load): Promise<string[]> {
  for (const started = performance.now(); ; await sleep(1000)) {
    const statuses: string[] = []
    const lost: string[] = []
    for await (const { id: run, attributes } of rest.all(workflows.listRuns, { workspace, id, page: { limit: 100 } })) {
      statuses.push(attributes.status)
      if (attributes.status === 'failed' && attributes.error?.code === 'worker_lost') lost.push(run)
    }
    for (const run of lost) {
      tell(`retried the run ${run}: two workers were killed during one step of it`)
      await rest.call(workflows.retryRun, { workspace, id: run, body: { from: 'failed' } })
    }
    if (lost.length > 0) continue
    const ended = statuses.filter((status) => ['success', 'failed', 'cancelled', 'suppressed'].includes(status))
    if (ended.length >= load.orders.length && ended.length === statuses.length) return statuses
    assert.ok(performance.now() - started < patienceMs, `${ended.length} of ${load.orders.length} runs have ended`)
  }
}

/** Asserts that the standby serves reads of each server. */
export async function checkReplicas(ports: readonly number[]): Promise<void> {
  const counts = ports.map(async (port) => {
    const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    return Number(/^kontor_database_replica_reads_total (\d+)$/m.exec(metrics)?.[1])
  })
  for (const count of await Promise.all(counts)) assert.ok(count > 0, 'a server reads nothing from the standby')
  tell(`the standby has served ${(await Promise.all(counts)).join(', ')} reads of the servers`)
}

/** Asserts that what was acknowledged is stored once, and that nothing ran twice. */
export async function checkRecords(rest: RestClient, target: Target, load: Load): Promise<void> {
  const persons = await listValues(rest, target, 'person', 'job_title')
  assert.equal(new Set(persons).size, persons.length, 'a person exists twice')
  const stored = new Set(persons)
  const lost = load.persons.filter((name) => !stored.has(name))
  assert.deepEqual(lost, [], 'acknowledged persons are lost')
  const deals = await listValues(rest, target, 'deal', 'name')
  const expected = load.orders.map((number) => `Order ${number}`)
  assert.deepEqual(deals.toSorted(), expected.toSorted(), 'each order has one deal')
  tell(`${persons.length} persons and ${deals.length} deals: nothing is lost, nothing exists twice`)
}

/** Asserts that each order was announced under one id, in one letter, and how often one came again. */
export function checkOutside({ received }: Receiver, letters: MailServer['letters'], load: Load): void {
  assert.ok(received.every(({ isSigned }) => isSigned))
  const taken = received.filter(({ status }) => status === 200)
  const ids = new Set(taken.map(({ headers }) => headers['webhook-id']))
  assert.equal(ids.size, load.orders.length)
  assert.equal(new Set(taken.map(({ text }) => text)).size, load.orders.length)
  assert.equal(new Set(letters.map(({ messageId }) => messageId)).size, load.orders.length)
  assert.equal(new Set(letters.map(({ subject }) => subject)).size, load.orders.length)
  const again = `${taken.length - ids.size} webhooks and ${letters.length - load.orders.length} e-mails came again`
  tell(`${ids.size} signed webhooks, ${load.orders.length} e-mails; ${again}, under the same ids`)
}

/**
 * The statuses that a client may get in a phase: restarts and upgrades in turn give only successes, and rarely 503.
 * When a server is killed, HAProxy closes the connections of the requests that it had sent there on a kept connection,
 * or responds 502. A change that is repeated while its first attempt still runs gets 409 (`idempotency_in_progress`)
 * with `Retry-After`.
 */
const allowed: Readonly<Record<Phase, readonly Status[]>> = {
  calm: [200, 201],
  rolling: [200, 201, 503],
  upgrade: [200, 201, 503],
  faults: [200, 201, 409, 502, 503, 504, 'none'],
  'fail-over': [200, 201, 409, 502, 503, 504, 'none'],
  'node goes': [200, 201, 409, 503],
  'node killed': [200, 201, 503],
  'rolling without node': [200, 201, 503],
  'node hangs': [200, 201, 503],
  'node returns': [200, 201, 409, 503],
  after: [200, 201],
}

/**
 * Asserts that clients got nothing but what the phases of their requests allow. In the phases of `away`, the node of
 * the workspace was, and all of its requests are refused.
 */
export function checkResponses({ responses, unclear, unseen, seen }: Load, away: readonly Phase[] = []): void {
  assert.deepEqual(unseen, [], 'changes that a later list did not show')
  tell(`${seen} lists were read right after a change, and each showed it`)
  const counted = responses.all()
  for (const some of counted) tellResponses(some)
  const allowedIn = (phase: Phase): readonly Status[] => (away.includes(phase) ? [503] : allowed[phase])
  for (const some of counted) {
    const expected = [some.began, some.ended].flatMap(allowedIn)
    for (const status of some.statuses.keys()) assert.ok(expected.includes(status), `${titleOf(some)}: ${status}`)
  }
  for (const phase of away)
    assert.ok(
      counted.some(({ began, ended }) => began === phase && ended === phase),
      `no request was refused: ${phase}`,
    )
  assert.equal(unclear, 0, '409 or 503 without Retry-After')
}

const titleOf = ({ began, ended }: Counted): string => (began === ended ? began : `${began}, until ${ended}`)

function tellResponses(counted: Counted): void {
  const counts = [...counted.statuses].map(([status, count]) => `${count} × ${status}`)
  const slowest = `the slowest after ${(counted.slowestMs / 1000).toFixed(1)} s`
  tell(`${titleOf(counted)}: ${counts.join(', ')}, ${slowest}`)
  for (const text of counted.refusals) tell(`  503: ${text}`)
}
