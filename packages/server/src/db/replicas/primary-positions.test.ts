import { expect, test } from 'vitest'
import { PrimaryPositions } from './primary-positions.ts'
import { laterPosition, positionOf } from './position.ts'

const lagMs = 1000

/** A primary whose position grows with each question, and a clock that the test turns. */
function growing() {
  let asked = 0
  let nowMs = 5000
  const ask = async () => positionOf(`0/${(++asked).toString(16)}`)
  return {
    positions: new PrimaryPositions({ lagMs, now: () => nowMs, ask }),
    asked: () => asked,
    now: () => nowMs,
    wait: (ms: number) => void (nowMs += ms),
  }
}

test('positions sort as texts in the order of the log', () => {
  const lsns = ['0/FFFFFFFF', '1/0', '16/B374D848', '16/B374D8480', 'A0/1'].map(positionOf)
  expect(lsns.toSorted()).toEqual(lsns)
  expect(positionOf('16/b374d848')).toBe('00000016B374D848')
  expect(laterPosition(positionOf('1/0'), positionOf('0/FFFFFFFF'))).toBe(positionOf('1/0'))
})

test('an old position serves within the permitted lag, and a new one is asked for what happened since', async () => {
  const { positions, asked, now, wait } = growing()
  const first = await positions.behind(-Infinity)
  wait(lagMs / 10)
  expect([await positions.behind(-Infinity), asked()]).toEqual([first, 1])
  const second = await positions.behind(now())
  expect(second > first).toBe(true)
  expect([await positions.behind(-Infinity), await positions.behind(now())]).toEqual([first, second])
  wait(lagMs - lagMs / 20)
  expect(await positions.behind(-Infinity)).toBe(second)
  wait(lagMs)
  expect((await positions.behind(-Infinity)) > second).toBe(true)
})

test('reads at the same time share a question, but none that was asked before what they must see', async () => {
  const { positions, asked, now, wait } = growing()
  const [one, other] = await Promise.all([positions.behind(-Infinity), positions.behind(-Infinity)])
  expect([other, asked()]).toEqual([one, 1])
  wait(1)
  const pending = positions.behind(now())
  wait(1)
  const later = positions.behind(now())
  expect((await later) > (await pending)).toBe(true)
})

test('however often it is asked, what is old enough for the permitted lag is still known', async () => {
  const { positions, now, wait } = growing()
  await positions.behind(-Infinity)
  for (let asked = 0; asked < 500; asked++) {
    wait(1)
    await positions.behind(now())
  }
  expect((await positions.behind(-Infinity)) < positionOf('0/20')).toBe(true)
})

test('however many want the latest position, one question is under way', async () => {
  const { positions, asked, now, wait } = growing()
  for (let wanted = 0; wanted < 100; wanted++) {
    wait(1)
    positions.refresh()
  }
  const wantedMs = now()
  await positions.behind(wantedMs)
  wait(1)
  await positions.behind(wantedMs)
  expect(asked()).toBeLessThanOrEqual(3)
})

test('the lag of a replica is the age of the first position that it has not reached', async () => {
  const { positions, now, wait } = growing()
  const first = await positions.behind(-Infinity)
  wait(10)
  const second = await positions.behind(now())
  wait(30)
  expect([positions.lagAt(first), positions.lagAt(second)]).toEqual([30, 0])
})
