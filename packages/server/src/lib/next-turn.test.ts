import { expect, test } from 'vitest'
import { nextTurn } from './next-turn.ts'

test('lets one of those that wait go on in each turn of the event loop, in the order in which they came', async () => {
  let turn = 0
  const count = (): void => void setImmediate(() => ((turn += 1) < 20 ? count() : undefined))
  count()
  const seen: [name: string, turn: number][] = []
  const work = async (name: string): Promise<void> => {
    for (let portion = 0; portion < 3; portion++) {
      await nextTurn()
      seen.push([name, turn])
    }
  }
  await Promise.all(['a', 'b', 'c'].map(work))
  expect(seen.map(([name]) => name).join('')).toBe('abcabcabc')
  expect(new Set(seen.map(([, when]) => when)).size).toBe(9)
})
