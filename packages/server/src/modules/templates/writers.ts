import { HtmlWriter } from './html-writer.ts'
import { textOf, type Writer } from './syntax.ts'
import { UrlWriter } from './url-writer.ts'

/** The syntax of a text with variables, which says how a value is written where one of them stands. */
export type Syntax = 'text' | 'html' | 'url' | 'link' | 'form' | 'json'

/** Writes every value in the same way, or as it says of what the author wrote before. */
function plainWriter(write: (value: unknown) => string, follow: (text: string) => void = () => undefined): Writer {
  let whole = ''
  return {
    pass(text) {
      follow(text)
      whole += text
    },
    write(value) {
      const text = write(value)
      whole += text
      return text
    },
    end: () => whole,
  }
}

const formValue = (value: unknown): string => encodeURIComponent(textOf(value).toWellFormed())

/** In a text of JSON a value is JSON, and what stands in a string is escaped for that. */
function jsonWriter(): Writer {
  let isInString = false
  return plainWriter(
    (value) => (isInString ? JSON.stringify(textOf(value)).slice(1, -1) : JSON.stringify(value)),
    (text) => {
      for (const [found] of text.matchAll(/\\.|"/gs)) if (found === '"') isInString = !isInString
    },
  )
}

export const writers: Readonly<Record<Syntax, () => Writer>> = {
  text: () => plainWriter(textOf),
  html: () => new HtmlWriter(),
  form: () => plainWriter(formValue),
  url: () => new UrlWriter({ isLink: false }),
  link: () => new UrlWriter({ isLink: true }),
  json: jsonWriter,
}
