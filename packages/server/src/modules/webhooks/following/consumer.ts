import { matchesEvent } from '@kontor/contract'
import type { EventConsumer, LoggedEvent } from '../../events/index.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { chainOf } from '../../../kernel/actor.ts'
import { newId } from '../../../kernel/ids.ts'
import { seenEvents, type KnownEvent } from '../../event-feed/index.ts'
import type { SchemaSets } from '../../schemas/index.ts'
import { queueDeliveries, skipDeliveries, type NewDelivery } from '../deliveries/queue.ts'
import { consumerName, disable, type EventServices } from '../disable.ts'
import { contextOf } from '../../identity/acting/index.ts'
import {
  isFollowing,
  listFollowing,
  lockWebhook,
  updateWebhook,
  type DisabledReason,
  type WebhookRow,
} from '../store.ts'
import { passing } from './view.ts'

/** The plan for a webhook and some events: it receives them, or cannot continue. */
type Plan = { readonly webhook: WebhookRow } & (
  | { readonly events: readonly KnownEvent[] }
  | { readonly ended: DisabledReason }
)

type Services = EventServices & { readonly schemaSets: SchemaSets }

/** Turns events into deliveries, exactly once: they are written in the transaction that moves the cursor. */
export const webhookConsumer = (services: Services): EventConsumer => ({
  name: consumerName,
  async prepare(context, workspaceId, events) {
    const { reader } = context.database
    const now = context.clock.now()
    const webhooks = (await listFollowing(reader, workspaceId)).map((one) => ({
      ...one,
      ...positionsAfter(one, events),
    }))
    // Those that were made with the same credential see the same.
    const byActor = Map.groupBy(webhooks, ({ actor }) => JSON.stringify(actor))
    const plans: Plan[] = []
    for (const some of byActor.values()) plans.push(...(await plan(reader, services, some, events, now)))
    // In one order, so that two processes do not wait for each other.
    const ordered = plans.toSorted((one, other) => (one.webhook.id < other.webhook.id ? -1 : 1))
    return {
      write: async (tx) => {
        for (const one of ordered) await carryOut(tx, services, one, events, now)
      },
    }
  },
})

/** Plans some events for webhooks that see the same. */
async function plan(
  reader: ReadTx,
  { schemaSets }: Services,
  webhooks: readonly WebhookRow[],
  events: readonly LoggedEvent[],
  now: number,
): Promise<Plan[]> {
  const [first] = webhooks
  const asked = events.filter((event) => webhooks.some((webhook) => asksFor(webhook, event)))
  const isAboutWebhooks = events.some(({ type }) => type === 'webhook.created' || type === 'webhook.updated')
  if (first === undefined || (asked.length === 0 && !isAboutWebhooks)) return []
  const at = { workspaceId: first.workspace_id, now }
  const readSchemas = () => schemaSets.readCurrent(reader, at.workspaceId)
  const ctx = await contextOf(reader, at, readSchemas, first.actor)
  if ('stopped' in ctx) return webhooks.map((webhook) => ({ webhook, ended: ctx.stopped }))
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

async function carryOut(
  tx: Tx,
  services: EventServices,
  one: Plan,
  read: readonly LoggedEvent[],
  now: number,
): Promise<void> {
  const { workspace_id, id } = one.webhook
  if ('events' in one && one.events.length === 0 && !read.some((event) => event.record_id === id)) return
  const webhook = await lockWebhook(tx, workspace_id, id)
  if (webhook === undefined || !isFollowing(webhook)) return
  const positions = positionsAfter(webhook, read)
  if (positions.follows_from !== webhook.follows_from || positions.sends_from !== webhook.sends_from)
    await updateWebhook(tx, { workspace_id, id, ...positions })
  if ('ended' in one) return disable(tx, services, webhook, one.ended, now)
  const { sent = [], skipped = [] } = Object.groupBy(one.events, (event) =>
    isSent({ ...webhook, ...positions }, event) ? 'sent' : 'skipped',
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

/** A delivery has no body: that is made of its event when it is sent, of what its owner may see then. */
const deliveryOf = (event: KnownEvent, now: number): NewDelivery => ({
  id: newId(now),
  event_id: event.id,
  event_type: event.type,
  object: event.object,
  record_id: event.record_id,
  sequence: event.sequence,
  caused_by: chainOf(event.actor) ?? null,
})

/** Where in the log a webhook begins, and from where on it sends; null where it has not come to that event yet. */
type Positions = Pick<WebhookRow, 'follows_from' | 'sends_from'>

/**
 * The positions of a webhook once it has read some events: those of the events of its creation and of when it was
 * enabled. The log says what came first; times of two nodes do not.
 */
function positionsAfter(
  { id, follows_from, sends_from, enabled_by }: WebhookRow,
  events: readonly LoggedEvent[],
): Positions {
  const created = events.find(({ type, record_id }) => type === 'webhook.created' && record_id === id)
  const sends = sends_from ?? events.find((event) => event.id === enabled_by)?.sequence ?? null
  return { follows_from: follows_from ?? created?.sequence ?? sends, sends_from: sends }
}

/** Returns whether a webhook asks for an event, by all that can be told without reading anything else. */
const asksFor = ({ events, filter, follows_from }: WebhookRow, event: LoggedEvent): boolean =>
  follows_from !== null &&
  event.sequence >= follows_from &&
  events.some((pattern) => matchesEvent(pattern, event.type)) &&
  (filter?.object === undefined || filter.object === event.object)

/** Returns whether an event happened while a webhook was enabled. */
const isSent = ({ enabled, sends_from }: WebhookRow, event: LoggedEvent): boolean =>
  enabled && sends_from !== null && event.sequence >= sends_from
