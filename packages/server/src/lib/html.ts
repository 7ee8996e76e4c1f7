import { defined } from './guards.ts'

/** Markup that is safe to send: made by `html` alone. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

/** Content of a template; `false` and `undefined` leave nothing. */
export type Content = Html | string | number | false | undefined | readonly Content[]

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (character) => defined(entities[character]))

function write(content: Content): string {
  if (content === false || content === undefined) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'object') return content.map(write).join('')
  return escaped(String(content))
}

/** A template whose values are escaped, in text and in attributes that stand in double quotes. */
export const html = (parts: TemplateStringsArray, ...values: readonly Content[]): Html =>
  new Html(parts.reduce((text, part, index) => text + write(values[index - 1]) + part))
