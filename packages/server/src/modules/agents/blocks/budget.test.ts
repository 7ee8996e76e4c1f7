import { expect, test } from 'vitest'
import { StepFailure } from '../../plugins/index.ts'
import { programWithinMinutes } from './budget.ts'

const { signal } = new AbortController()
const exceeding = () => Promise.reject(new StepFailure('code_time_exceeded', 'Too long.'))

test('a program may take what is left of the minutes', async () => {
  const within = { now: 90_000, begunAt: 0, signal }
  expect(await programWithinMinutes(within, { minutes: 2 }, async (ms) => ms)).toBe(30_000)
  await expect(programWithinMinutes(within, { minutes: 1 }, async () => 1)).rejects.toThrow('is used up: 1 minutes')
})

test('a program that takes more than is left has used up the budget, and no other', async () => {
  const budgets = { minutes: 2 }
  const late = programWithinMinutes({ now: 90_000, begunAt: 0, signal }, budgets, exceeding)
  await expect(late).rejects.toMatchObject({ code: 'budget_minutes' })
  const early = programWithinMinutes({ now: 1000, begunAt: 0, signal }, budgets, exceeding)
  await expect(early).rejects.toMatchObject({ code: 'code_time_exceeded' })
})
