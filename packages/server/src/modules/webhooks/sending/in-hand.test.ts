import { expect, test } from 'vitest'
import { InHand } from './in-hand.ts'

const rows = (...ids: readonly string[]) => ids.map((id) => ({ id }))

test('passes over a delivery that ends while the ones that are due are read', async () => {
  const inHand = new InHand()
  const [answered, stays] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  inHand.take('answered', answered.promise)
  inHand.take('stays', stays.promise)
  const read = Promise.withResolvers<{ id: string }[]>()
  const others = inHand.others(() => read.promise)
  answered.resolve()
  await inHand.nextEnd()
  expect(inHand.size).toBe(1)
  read.resolve(rows('answered', 'stays', 'other'))
  expect(await others).toEqual(rows('other'))
  // The next read finds it if it is due again.
  expect(await inHand.others(() => Promise.resolve(rows('answered', 'stays')))).toEqual(rows('answered'))
  stays.resolve()
})
