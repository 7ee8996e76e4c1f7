import { expect, test } from 'vitest'
import { NoRoom, RunMemory } from './memory.ts'

const never = (): boolean => false

test('lets runs hold so many bytes together, and one of them more', () => {
  const memory = new RunMemory(100, never)
  const [first, second] = [memory.enter('first'), memory.enter('second')]
  first.hold(80)
  expect(() => second.hold(30)).toThrow(NoRoom)
  second.hold(20)
  expect(() => memory.enter('third')).toThrow(NoRoom)
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
  const first = memory.enter('first')
  const second = memory.enter('second')
  isFull = true
  expect(() => memory.enter('third')).toThrow(NoRoom)
  expect(() => second.hold(1)).toThrow(NoRoom)
  second.leave()
  expect(() => first.hold(1)).toThrow(NoRoom)
  first.leave()
  const again = memory.enter('second')
  again.hold(1)
  again.leave()
  memory.enter('first')
})

test('keeps the room of the run that was refused first, until it comes or has not come for five seconds', () => {
  let nowMs = 0
  const memory = new RunMemory(100, never, () => nowMs)
  const small = memory.enter('small')
  small.hold(30)
  const large = memory.enter('large')
  expect(() => large.hold(150)).toThrow(NoRoom)
  large.leave()
  for (let turn = 0; turn < 10; turn++) expect(() => memory.enter(`other ${turn}`)).toThrow(NoRoom)
  expect(() => small.hold(31)).toThrow(NoRoom)
  small.leave()
  expect(() => memory.enter('small')).toThrow(NoRoom)
  const again = memory.enter('large')
  again.hold(150)
  again.leave()
  const next = memory.enter('small')
  next.hold(31)
  const gone = memory.enter('gone')
  expect(() => gone.hold(150)).toThrow(NoRoom)
  gone.leave()
  nowMs = 5000
  expect(() => memory.enter('other')).toThrow(NoRoom)
  nowMs = 5001
  memory.enter('other').hold(60)
})

test('keeps no more from others than the first of the refused needs', () => {
  const memory = new RunMemory(100, never, () => 0)
  const first = memory.enter('first')
  first.hold(90)
  const second = memory.enter('second')
  expect(() => second.hold(20)).toThrow(NoRoom)
  second.leave()
  first.hold(10)
  memory.enter('third').hold(60)
  expect(() => memory.enter('fourth').hold(20)).toThrow(NoRoom)
  memory.enter('second').hold(20)
})
