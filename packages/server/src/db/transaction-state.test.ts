import { expect, test } from 'vitest'
import { TransactionState, type Savepoint } from './transaction-state.ts'

const lost = new Error('the connection was lost')
const failing = (): Promise<never> => Promise.reject(lost)
const done = async (): Promise<void> => undefined
const broken: Savepoint = { set: done, release: done, rollBack: failing, forget: () => undefined }

test('a refusal whose attempt cannot be taken back is no outcome: the transaction fails with the cause', async () => {
  const state = new TransactionState()
  const attempted = state.attempt(broken, () => Promise.reject(new Error('an item is refused')))
  await expect(attempted).rejects.toBe(lost)
  expect(() => state.assertSound()).toThrow(lost)
})

test('a statement that fails in an attempt says why, also where the attempt cannot be taken back', async () => {
  const state = new TransactionState()
  const full = new Error('the disk is full')
  await expect(state.attempt(broken, (inner) => inner.track(() => Promise.reject(full)))).rejects.toBe(full)
  expect(() => state.assertSound()).toThrow(full)
})

test('a refusal whose attempt is taken back is its outcome, and the transaction goes on', async () => {
  const state = new TransactionState()
  const refusal = new Error('an item is refused')
  await expect(state.attempt({ ...broken, rollBack: done }, () => Promise.reject(refusal))).rejects.toBe(refusal)
  expect(await state.track(async () => 'goes on')).toBe('goes on')
})
