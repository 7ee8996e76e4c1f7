import { expect, test } from 'vitest'
import { NoRoom, RunMemory } from './memory.ts'

const never = (): boolean => false

test('lets runs hold so many bytes together, and one of them more', () => {
  const memory = new RunMemory(100, never)
  const [first, second] = [memory.enter(), memory.enter()]
  first.hold(80)
  expect(() => second.hold(30)).toThrow(NoRoom)
  second.hold(20)
  expect(() => memory.enter()).toThrow(NoRoom)
  first.hold(10)
  second.hold(90)
  expect(memory.bytes).toBe(100)
  second.leave()
  first.hold(500)
  expect(memory.bytes).toBe(500)
  first.leave()
  expect(memory.bytes).toBe(0)
})

test('lets one run go on while the heap is nearly full, and no other begin', () => {
  let isFull = false
  const memory = new RunMemory(100, () => isFull)
  const first = memory.enter()
  const second = memory.enter()
  isFull = true
  expect(() => memory.enter()).toThrow(NoRoom)
  expect(() => second.hold(1)).toThrow(NoRoom)
  second.leave()
  first.hold(1)
  first.leave()
  memory.enter()
})
