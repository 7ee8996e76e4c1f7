import { inject } from 'vitest'

declare module 'vitest' {
  export interface ProvidedContext {
    /** `small` in `npm test`, `full` in `npm run test:long`. */
    size: 'small' | 'full'
  }
}

/** A whole number from the environment. */
const setting = (name: string, otherwise: number): number => Number(process.env[name] ?? otherwise)

/** The seed of properties: always the same in `npm test`; the long tests choose another each time, and print it. */
export const runSeed = setting('KONTOR_SEED', 20_261_121)

/** Returns whether properties run in full, and not only the part that `npm test` has time for. */
export const isFull = (): boolean => inject('size') === 'full'

/** One of two sizes, for the long tests and for `npm test`. */
export const sized = (full: number, small: number): number => (isFull() ? full : small)

/** The number of rounds of a property: `KONTOR_ROUNDS`, or one of two sizes. */
export const rounds = (full: number, small: number): number => setting('KONTOR_ROUNDS', sized(full, small))

/** The cases of a property: all of them, or so many, spread evenly, in `npm test`. */
export const someOf = <T>(cases: readonly T[], small: number): readonly T[] =>
  isFull() || cases.length <= small
    ? cases
    : Array.from({ length: small }, (_, index) => cases[Math.floor((index * cases.length) / small)]!)

/**
 * The cases of a check that many others share: all of them, or in `npm test` every thirty-second, at least one. Each
 * check gives another number below 32, so that every case has its turn in some of them.
 */
export const turnOf = <T>(turn: number, cases: readonly T[]): readonly T[] =>
  isFull() ? cases : cases.filter((_, index) => index % turns === turn % Math.min(turns, cases.length))

const turns = 32
