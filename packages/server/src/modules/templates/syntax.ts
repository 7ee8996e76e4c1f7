import { isString } from '../../lib/guards.ts'

/** Writes one text from its beginning to its end. */
export type Writer = {
  /** Receives what stands between the variables. */
  readonly pass: (text: string) => void
  readonly write: (value: unknown) => string
  /** Receives the end of the text. */
  readonly end: () => void
}

/** A value in a text: nothing of null, and JSON of what is no text. */
export const textOf = (value: unknown): string =>
  value === null ? '' : isString(value) ? value : JSON.stringify(value)
