import { isString } from '../../../lib/guards.ts'
import { html } from '../../../lib/html.ts'

/** The syntax of a text with variables, which says how a value is written where one of them stands. */
export type Syntax = 'text' | 'html' | 'url' | 'form' | 'json'

/** Writes one text from its beginning to its end. */
export type Writer = {
  /** Is told what stands between the variables. */
  readonly pass: (text: string) => void
  readonly write: (value: unknown) => string
}

/** A value in a text: nothing of null, and JSON of what is no text. */
export const textOf = (value: unknown): string =>
  value === null ? '' : isString(value) ? value : JSON.stringify(value)

const encoded = (value: unknown): string => encodeURIComponent(textOf(value).toWellFormed())

const alike = (write: Writer['write']) => (): Writer => ({ pass: () => undefined, write })

/** What a URL begins with says where the request goes, so it is taken as it is; anything else cannot change that. */
function urlWriter(): Writer {
  let isFirst = true
  return {
    pass(text) {
      isFirst &&= text.trim() === ''
    },
    write(value) {
      const written = isFirst ? textOf(value) : encoded(value)
      isFirst = false
      return written
    },
  }
}

/** In a text of JSON a value is JSON, and what stands in a string is escaped for that. */
function jsonWriter(): Writer {
  let isInString = false
  return {
    pass(text) {
      for (const [found] of text.matchAll(/\\.|"/gs)) if (found === '"') isInString = !isInString
    },
    write: (value) => (isInString ? JSON.stringify(textOf(value)).slice(1, -1) : JSON.stringify(value)),
  }
}

export const writers: Readonly<Record<Syntax, () => Writer>> = {
  text: alike(textOf),
  html: alike((value) => html`${textOf(value)}`.text),
  form: alike(encoded),
  url: urlWriter,
  json: jsonWriter,
}
