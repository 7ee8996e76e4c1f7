import { expect } from 'vitest'
import type { TestApp } from '../harness/app.ts'
import type { Answer } from '../harness/http.ts'
import { recordsOf } from '../harness/records.ts'

/** Runs a call that must be refused, and sees that nothing came of it. */
export const refusedOf =
  (app: TestApp) =>
  async (object: string, call: () => Promise<Answer>): Promise<Answer> => {
    const { count } = recordsOf(app)
    const before = await count(object)
    await app.events()
    const answer = await call()
    expect(await app.events()).toEqual([])
    expect(await count(object)).toBe(before)
    return answer
  }
