import { expect, test } from 'vitest'
import { RoundRobin } from './round-robin.ts'

const drained = (queue: RoundRobin<string>): string[] =>
  Array.from({ length: queue.length }, () => queue.shift() ?? 'nothing')

test('parties take turns, each in its own order', () => {
  const queue = new RoundRobin<string>()
  for (const one of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'c2']) queue.push(one.charAt(0), one)
  expect(drained(queue)).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3', 'a4'])
  expect([queue.length, queue.shift()]).toEqual([0, undefined])
})

test('a party that comes again and again takes no turn of one that waits', () => {
  const queue = new RoundRobin<string>()
  for (const one of ['a1', 'a2', 'a3']) queue.push('a', one)
  const order: (string | undefined)[] = []
  for (let index = 1; index <= 3; index++) {
    queue.push('b', `b${index}`)
    order.push(queue.shift(), queue.shift())
  }
  expect(order).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'b3'])
})
