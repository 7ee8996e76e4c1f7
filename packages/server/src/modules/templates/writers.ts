import { HtmlWriter } from './html-writer.ts'
import { textOf, type Writer } from './syntax.ts'
import { UrlWriter } from './url-writer.ts'

/** The syntax of a text with variables, which says how a value is written where one of them stands. */
export type Syntax = 'text' | 'html' | 'url' | 'link' | 'form' | 'json'

const alike = (write: Writer['write']) => (): Writer => ({ pass: () => undefined, write, end: () => undefined })

/** In a text of JSON a value is JSON, and what stands in a string is escaped for that. */
function jsonWriter(): Writer {
  let isInString = false
  return {
    pass(text) {
      for (const [found] of text.matchAll(/\\.|"/gs)) if (found === '"') isInString = !isInString
    },
    write: (value) => (isInString ? JSON.stringify(textOf(value)).slice(1, -1) : JSON.stringify(value)),
    end: () => undefined,
  }
}

export const writers: Readonly<Record<Syntax, () => Writer>> = {
  text: alike(textOf),
  html: () => new HtmlWriter(),
  form: alike((value) => encodeURIComponent(textOf(value).toWellFormed())),
  url: () => new UrlWriter({ isLink: false }),
  link: () => new UrlWriter({ isLink: true }),
  json: jsonWriter,
}
