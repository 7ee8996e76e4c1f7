import { expect } from 'vitest'
import type { Random } from '../../harness/random.ts'
import type { Answer, Json } from '../../harness/http.ts'
import type { Thing, Who } from './model.ts'
import type { World } from './world.ts'

/** Something to ask, what must be answered, and what of the answer the caller has said themselves. */
export type Question = {
  readonly what: string
  readonly ask: () => Promise<Answer>
  readonly check: (answer: Answer) => void
  readonly said: readonly string[]
}

/** Makes a question of one kind about some things of the world. */
export type Make = (world: World, who: Who, random: Random) => Question

/** The ids of the resources that are answered. */
export const idsOf = (data: readonly Json[]): string[] => data.map(({ id }) => id)

/** A thing in the state asked for; a live one where there is none. */
export const pick = (world: World, random: Random, state: 'live' | 'deleted' = 'live'): Thing => {
  const some = state === 'live' ? world.model.live() : world.model.deleted()
  return random.pick(some.length === 0 ? world.model.live() : some)
}

/** Expects a status, and shows the body where it is another one. */
export function expectStatus({ status, body }: Answer, wanted: number): void {
  expect(status, JSON.stringify(body)).toBe(wanted)
}
