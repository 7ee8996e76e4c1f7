import { webhookBody } from '@kontor/contract'
import type { EventConsumer, LoggedEvent } from '../../events/index.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { chainOf } from '../../../kernel/actor.ts'
import { newId } from '../../../kernel/ids.ts'
import { once } from '../../../lib/once.ts'
import { presentEvent, seenEvents, type KnownEvent } from '../../event-feed/index.ts'
import { serverContext, type SchemaSet, type SchemaSets } from '../../schemas/index.ts'
import { queueDeliveries, skipDeliveries, type NewDelivery } from '../deliveries/queue.ts'
import { consumerName, disable, type EventServices } from '../disable.ts'
import { standingOf } from '../../identity/standing/index.ts'
import { isFollowing, listFollowing, lockWebhook, type DisabledReason, type WebhookRow } from '../store.ts'
import { asksFor, isSent } from './matching.ts'
import { passing } from './view.ts'

/** What some events mean for a webhook: it is told of them, or it cannot go on. */
type Plan = { readonly webhook: WebhookRow } & (
  | { readonly events: readonly KnownEvent[] }
  | { readonly ended: DisabledReason }
)

/** Turns events into deliveries, exactly once: they are written in the transaction that moves the cursor. */
export const webhookConsumer = (services: EventServices & { readonly schemaSets: SchemaSets }): EventConsumer => ({
  name: consumerName,
  async prepare(context, workspaceId, events) {
    const { reader } = context.database
    const now = context.clock.now()
    const readSchemas = once(() => services.schemaSets.readCurrent(reader, workspaceId))
    const webhooks = await listFollowing(reader, workspaceId)
    // Those that were made with the same credential see the same.
    const byActor = Map.groupBy(webhooks, ({ actor }) => JSON.stringify(actor))
    const plans: Plan[] = []
    for (const some of byActor.values())
      plans.push(...(await plan(reader, { workspaceId, now, readSchemas }, some, events)))
    // In one order, so that two processes do not wait for each other.
    const ordered = plans.toSorted((one, other) => (one.webhook.id < other.webhook.id ? -1 : 1))
    return {
      write: async (tx) => {
        for (const one of ordered) await carryOut(tx, services, one, now)
      },
    }
  },
})

type State = {
  readonly workspaceId: string
  readonly now: number
  readonly readSchemas: () => Promise<SchemaSet>
}

/** What some events mean for webhooks that see the same. */
async function plan(
  reader: ReadTx,
  { workspaceId, now, readSchemas }: State,
  webhooks: readonly WebhookRow[],
  events: readonly LoggedEvent[],
): Promise<Plan[]> {
  const [first] = webhooks
  const asked = events.filter((event) => webhooks.some((webhook) => asksFor(webhook, event)))
  if (first === undefined || asked.length === 0) return []
  const standing = await standingOf(reader, workspaceId, first.actor, now)
  if ('ended' in standing) return webhooks.map((webhook) => ({ webhook, ended: standing.ended }))
  const reading = { actor: first.actor, role: standing.role }
  const ctx = serverContext(reader, workspaceId, await readSchemas(), reading, now)
  const seen = await seenEvents(ctx, asked)
  return Promise.all(
    webhooks.map(async (webhook): Promise<Plan> => {
      const passed = await passing(
        ctx,
        webhook,
        seen.filter((event) => asksFor(webhook, event)),
      )
      return passed === undefined ? { webhook, ended: 'filter_broken' } : { webhook, events: passed }
    }),
  )
}

async function carryOut(tx: Tx, services: EventServices, one: Plan, now: number): Promise<void> {
  if ('events' in one && one.events.length === 0) return
  const { workspace_id, id } = one.webhook
  const webhook = await lockWebhook(tx, workspace_id, id)
  if (webhook === undefined || !isFollowing(webhook)) return
  if ('ended' in one) return disable(tx, services, webhook, one.ended, now)
  const { sent = [], skipped = [] } = Object.groupBy(one.events, (event) =>
    isSent(webhook, event) ? 'sent' : 'skipped',
  )
  await queueDeliveries(
    tx,
    webhook,
    sent.map((event) => deliveryOf(event, now)),
    now,
  )
  await skipDeliveries(
    tx,
    webhook,
    skipped.map((event) => deliveryOf(event, now)),
    now,
  )
}

const deliveryOf = (event: KnownEvent, now: number): NewDelivery => ({
  id: newId(now),
  event_id: event.id,
  event_type: event.type,
  object: event.object,
  record_id: event.record_id,
  sequence: event.sequence,
  request_body: JSON.stringify(webhookBody(presentEvent(event))),
  caused_by: chainOf(event.actor) ?? null,
})
