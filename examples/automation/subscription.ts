import assert from 'node:assert/strict'
import { type RestClient, webhooks } from '@kontor/client'
import type { Receiver } from './outside.ts'

/** A webhook that tells of every new deal, and the program that it tells. */
export type Subscription = { readonly webhook: string; readonly receiver: Receiver }

/** Subscribes a program to the deals of a workspace. */
export async function subscribe(rest: RestClient, workspace: string, receiver: Receiver): Promise<Subscription> {
  const { body } = await rest.call(webhooks.create, {
    workspace,
    body: { url: receiver.url, events: ['record.created'], filter: { object: 'deal' } },
  })
  const { _id: webhook, secret } = body.data.attributes
  receiver.expect(secret)
  return { webhook, receiver }
}

/**
 * Returns whether the program has received all deals. A delivery that it refused twice is retried after five minutes.
 * The program is fixed by then, so its owner recovers it immediately.
 */
export async function isTold(
  rest: RestClient,
  workspace: string,
  { webhook: id, receiver }: Subscription,
  deals: number,
  asked: Set<string>,
): Promise<boolean> {
  const { data } = (await rest.call(webhooks.listDeliveries, { workspace, id })).body
  const isMended = receiver.received.filter(({ status }) => status !== 200).length === 2
  for (const { id: delivery, attributes } of data) {
    if (!isMended || attributes.status !== 'pending' || attributes.attempts < 2 || asked.has(delivery)) continue
    await rest.call(webhooks.resend, { workspace, id, delivery })
    asked.add(delivery)
  }
  return data.length === deals && data.every(({ attributes }) => attributes.status === 'succeeded')
}

/** Each deal was told of under one id, signed, and at last with success; returns how many requests it took. */
export function checkSubscription({ receiver: { received } }: Subscription, deals: number): number {
  assert.ok(received.every(({ isSigned }) => isSigned))
  const byId = Map.groupBy(received, ({ headers }) => headers['webhook-id'])
  assert.equal(byId.size, deals)
  for (const requests of byId.values()) {
    assert.ok(requests.some(({ status }) => status === 200))
    assert.equal(new Set(requests.map(({ text }) => text)).size, 1)
  }
  assert.equal(received.filter(({ status }) => status !== 200).length, 2)
  return received.length
}
