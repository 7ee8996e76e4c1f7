import { isString } from '../../lib/guards.ts'

/** Writes one text from its beginning to its end. */
export type Writer = {
  /** Takes what the author wrote between the variables. */
  readonly pass: (text: string) => void
  /** Writes the value of a variable, and returns how. */
  readonly write: (value: unknown) => string
  /** Returns the whole text. */
  readonly end: () => string
}

/** A value in a text: nothing of null, and JSON of what is no text. */
export const textOf = (value: unknown): string =>
  value === null ? '' : isString(value) ? value : JSON.stringify(value)
