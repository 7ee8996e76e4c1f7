import assert from 'node:assert/strict'
import type { Letter } from '../mail-server.ts'
import { tell } from '../tell.ts'
import type { Receiver } from './outside.ts'
import { checkSubscription, type Subscription } from './subscription.ts'

type Delivered = { readonly receiver: Receiver; readonly subscription: Subscription }

/** Requests that the programs outside may have received twice. */
export type Repeated = {
  /** Deliveries of something that the receiver had accepted before, since the server could not know; any number. */
  readonly again?: number
  readonly deals: number
}

/** The large deal was told under one id, signed, and at last with success; so was the letter, and so were all deals. */
export function checkOutside(
  { receiver: { received }, subscription }: Delivered,
  letters: readonly Letter[],
  { again, deals }: Repeated,
): void {
  assert.ok(received.every(({ isSigned }) => isSigned))
  const [first, second, ...taken] = received.map(({ status }) => status)
  assert.deepEqual([first, second, ...new Set(taken)], [503, 503, 200])
  if (again !== undefined) assert.equal(taken.length, 1 + again)
  assert.equal(new Set(received.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal(new Set(received.map(({ text }) => text)).size, 1)
  assert.deepEqual([...new Set(letters.map(({ subject }) => subject))], ['Order 0'])
  assert.equal(new Set(letters.map(({ messageId }) => messageId)).size, 1)
  if (again !== undefined) assert.equal(letters.length, 1)
  tell(`${received.length} signed requests under one id, two of them refused; e-mails: ${letters.length}`)
  const requests = checkSubscription(subscription, deals)
  tell(`${requests} signed requests tell of ${deals} deals, two of them refused`)
}
