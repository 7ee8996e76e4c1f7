import { setTimeout as sleep } from 'node:timers/promises'
import { readFitting } from '../../../db/row-bytes.ts'
import type { JobContext, JobKind, JobOutcome } from '../../../engine/types.ts'
import { defined } from '../../../lib/guards.ts'
import { handled } from '../../../lib/promises.ts'
import { contentsOf } from '../deliveries/contents.ts'
import {
  findNextDue,
  followClock,
  listDue,
  wasSetBack,
  type AttemptRow,
  type DeliveryRow,
} from '../deliveries/store.ts'
import { disable, type EventServices } from '../disable.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { contextOf, standingOf } from '../../identity/acting/index.ts'
import { findWebhook, lockWebhook, type WebhookRow } from '../store.ts'
import { attempt, type AttemptServices, type OutgoingDelivery } from './attempt.ts'
import { InHand } from './in-hand.ts'
import { settleAttempts, withholdDeliveries } from './settle.ts'
import { sendingType, type OfWebhook } from '../job-types.ts'

/** Requests on their way to one webhook. More would not make a receiver faster, and take memory here. */
const atOnceMax = 10

/** Deliveries in memory: on their way, or answered and not stored yet. */
const heldMax = 100

/** A run ends after a while, so that other jobs get their turn; what it has sent it waits for. */
const runMs = 5000

/** The time after which a run that waits for answers sees what has become due meanwhile. */
const lookAgainMs = 100

/** Jobs of a dead process are taken over after this time; a living one renews it: an exchange takes up to 15 s. */
const leaseMs = 10_000
const heartbeatMs = 2500

export type SendingServices = Omit<AttemptServices, 'clock'> & EventServices & { readonly schemaSets: SchemaSets }

/**
 * Sends what is due for one webhook, several requests at once. A webhook has one such job, so that its receiver,
 * however slow, takes one slot of the runner; the queue keeps the order of a record's events
 * (docs/decisions/0155).
 */
export const sendingKind = (services: SendingServices): JobKind<OfWebhook> => ({
  ...sendingType,
  leaseMs,
  maxAttempts: Infinity,
  run: (context, payload) => send(context, services, payload.webhook),
})

async function send(context: JobContext, services: SendingServices, id: string): Promise<JobOutcome<OfWebhook>> {
  const { database, clock, workspaceId } = context
  const webhook = await findWebhook(database.reader, workspaceId, id)
  if (webhook === undefined) return { state: 'done' }
  const standing = await standingOf(database.reader, { workspaceId, now: clock.now() }, webhook.actor)
  if ('stopped' in standing) {
    const { stopped } = standing
    return context.conclude(async (tx) => {
      const current = await lockWebhook(tx, workspaceId, id)
      if (current?.enabled === true) await disable(tx, services, current, stopped, clock.now())
      return { state: 'done' }
    })
  }
  const key = { workspace_id: workspaceId, webhook_id: id }
  if (await wasSetBack(database.reader, key, clock.now()))
    await database.write((tx) => followClock(tx, key, clock.now()))
  await new Sending(context, services, webhook).run()
  return conclude(context, id)
}

/** The next run is when the next delivery is due, and not before the pause of a failing receiver is over. */
const conclude = ({ conclude: end, clock, workspaceId }: JobContext, id: string): Promise<JobOutcome<OfWebhook>> =>
  end(async (tx): Promise<JobOutcome<OfWebhook>> => {
    const webhook = await lockWebhook(tx, workspaceId, id)
    const next = webhook && (await findNextDue(tx, { workspace_id: workspaceId, webhook_id: id }))
    if (next === undefined) return { state: 'done' }
    return { state: 'again', inMs: Math.max(0, Math.max(next, webhook?.paused_until ?? 0) - clock.now()) }
  })

/** One run: the requests that are on their way, and those that follow them. */
class Sending {
  readonly #context: JobContext
  readonly #services: SendingServices
  readonly #id: string
  readonly #held = new InHand()
  readonly #exchanges = new Set<Promise<unknown>>()
  #webhook: WebhookRow | undefined
  #failed: Promise<void> | undefined
  readonly #made: AttemptRow[] = []
  #settling = Promise.resolve()

  constructor(context: JobContext, services: SendingServices, webhook: WebhookRow) {
    this.#context = context
    this.#services = services
    this.#id = webhook.id
    this.#webhook = webhook
  }

  async run(): Promise<void> {
    const { signal, heartbeat } = this.#context
    const until = performance.now() + runMs
    let beatAt = performance.now()
    for (;;) {
      const mayBegin = performance.now() < until && !signal.aborted && this.#failed === undefined
      const began = mayBegin ? await this.#beginDue() : 0
      if (this.#held.size === 0 && began === 0) break
      await this.#waitForOne()
      if (performance.now() > beatAt + heartbeatMs) {
        await heartbeat()
        beatAt = performance.now()
      }
    }
    await this.#failed
    signal.throwIfAborted()
  }

  /** Begins to send what is due, as far as there is room; returns how many. */
  async #beginDue(): Promise<number> {
    const { database, clock, workspaceId } = this.#context
    const now = clock.now()
    const room = this.#room(now)
    if (room <= 0) return 0
    const key = { workspace_id: workspaceId, webhook_id: this.#id }
    const due = await this.#held.others(() => listDue(database.reader, key, now, room + this.#held.size))
    const fresh = due.slice(0, room)
    // The rest of those with large records is still due.
    const { rows } = await readFitting(fresh.length, (some) => this.#withContents(fresh.slice(0, some), now))
    for (const delivery of rows) this.#begin(delivery)
    return fresh.length
  }

  /** Deliveries with what they send; those that their owner may not see any more end here. */
  async #withContents(deliveries: readonly DeliveryRow[], now: number): Promise<OutgoingDelivery[]> {
    const { database, workspaceId } = this.#context
    const { schemaSets } = this.#services
    const webhook = this.#webhook
    if (webhook === undefined || deliveries.length === 0) return []
    const readSchemas = () => schemaSets.readCurrent(database.reader, workspaceId)
    const owner = await contextOf(database.reader, { workspaceId, now }, readSchemas, webhook.actor)
    // The next run finds that it has ended, and disables the webhook.
    if ('stopped' in owner) {
      this.#webhook = undefined
      return []
    }
    const contents = await contentsOf(owner, deliveries)
    const outgoing: OutgoingDelivery[] = []
    const withheld = new Map<string, string>()
    for (const delivery of deliveries) {
      const content = defined(contents.get(delivery.id))
      if ('body' in content) outgoing.push({ ...delivery, ...content })
      else withheld.set(delivery.id, content.withheld)
    }
    const key = { workspace_id: workspaceId, id: this.#id }
    if (withheld.size > 0) await database.write((tx) => withholdDeliveries(tx, key, withheld, now))
    return outgoing
  }

  /** Returns the number of requests that may begin: one to a receiver that fails, none while it is left alone. */
  #room(now: number): number {
    const webhook = this.#webhook
    if (webhook === undefined || (webhook.paused_until ?? 0) > now) return 0
    if (webhook.failures > 0) return 1 - this.#held.size
    return Math.min(atOnceMax - this.#exchanges.size, heldMax - this.#held.size)
  }

  #begin(delivery: OutgoingDelivery): void {
    const sending = handled(this.#send(delivery))
    const ended = sending.catch(() => void (this.#failed ??= sending))
    this.#held.take(delivery.id, ended)
  }

  async #send(delivery: OutgoingDelivery): Promise<void> {
    const { clock, callSignal } = this.#context
    const webhook = this.#webhook
    if (webhook === undefined) return
    const exchange = attempt({ ...this.#services, clock }, webhook, delivery, callSignal)
    const ended = exchange.catch(() => undefined)
    this.#exchanges.add(ended)
    this.#made.push(await exchange.finally(() => this.#exchanges.delete(ended)))
    await this.#settle()
  }

  /** Stores what has been made so far in one transaction: while one is under way, others come together. */
  #settle(): Promise<void> {
    this.#settling = handled(this.#settling.then(() => this.#settleMade()))
    return this.#settling
  }

  async #settleMade(): Promise<void> {
    const { database, clock, workspaceId, progress } = this.#context
    const made = this.#made.splice(0)
    if (made.length === 0) return
    const key = { workspace_id: workspaceId, id: this.#id }
    this.#webhook = await database.write(async (tx) => {
      const webhook = await settleAttempts(tx, this.#services, key, made, clock.now())
      await progress(tx)
      return webhook
    })
  }

  /** Waits for an answer, or where all are there for one to be stored. */
  async #waitForOne(): Promise<void> {
    const looking = new AbortController()
    const pause = sleep(lookAgainMs, undefined, { signal: looking.signal }).catch(() => undefined)
    const ends = this.#exchanges.size > 0 ? this.#exchanges : [this.#held.nextEnd()]
    await Promise.race([...ends, pause])
    looking.abort()
  }
}
