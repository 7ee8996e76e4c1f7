import { html } from '../../lib/html.ts'
import { textOf, type Writer } from './syntax.ts'
import { UrlWriter } from './url-writer.ts'

/** Attributes whose value is a URL. */
const urlAttributes = new Set([
  'action',
  'background',
  'cite',
  'data',
  'formaction',
  'href',
  'longdesc',
  'poster',
  'src',
  'xlink:href',
])

/** Longest name of an attribute that is kept. */
const nameMax = 32

const escaped = (text: string): string => html`${text}`.text

/** Without quotes, white space ends a value too. */
const escapedBare = (text: string): string =>
  text.replaceAll(/[\s"'`=<>&]/g, (character) => `&#${character.codePointAt(0)};`)

type State = 'text' | 'comment' | 'tag' | 'value' | 'quoted' | 'bare'

/**
 * Writes values into HTML as text. It follows what the author wrote, character by character, only as far as it must to
 * tell the URLs of links and images, in which values are percent-encoded.
 */
export class HtmlWriter implements Writer {
  #state: State = 'text'
  #quote = ''
  #attribute = ''
  #isNamed = false
  #url: UrlWriter | undefined

  pass(text: string): void {
    let at = 0
    while (at < text.length) at = this.#follow(text, at)
  }

  write(value: unknown): string {
    if (this.#state === 'value') this.#begin('bare')
    const text = this.#url?.write(value) ?? textOf(value)
    return this.#state === 'bare' ? escapedBare(text) : escaped(text)
  }

  end(): void {
    this.#url?.end()
  }

  /** Follows the author from a place; returns the next one. */
  #follow(text: string, at: number): number {
    const steps: Readonly<Record<State, () => number>> = {
      text: () => this.#inText(text, at),
      comment: () => this.#inComment(text, at),
      tag: () => this.#inTag(text, at),
      value: () => this.#beforeValue(text, at),
      quoted: () => this.#inQuotes(text, at),
      bare: () => this.#inBare(text, at),
    }
    return steps[this.#state]()
  }

  #inComment(text: string, at: number): number {
    const end = text.indexOf('-->', at)
    if (end === -1) return text.length
    this.#state = 'text'
    return end + 3
  }

  #inText(text: string, at: number): number {
    const open = text.indexOf('<', at)
    if (open === -1) return text.length
    if (text.startsWith('<!--', open)) {
      this.#state = 'comment'
      return open + 4
    }
    if (!/[a-z]/i.test(text[open + 1] ?? '')) return open + 1
    this.#endAttribute()
    return open + 1
  }

  #inTag(text: string, at: number): number {
    const character = text[at] ?? ''
    if (character === '>') this.#state = 'text'
    else if (character === '=') this.#state = 'value'
    else if (/[\s/]/.test(character)) this.#isNamed = this.#attribute !== ''
    else {
      if (this.#isNamed) this.#attribute = ''
      this.#isNamed = false
      if (this.#attribute.length < nameMax) this.#attribute += character.toLowerCase()
    }
    return at + 1
  }

  #beforeValue(text: string, at: number): number {
    const character = text[at] ?? ''
    if (/\s/.test(character)) return at + 1
    if (character === '>') {
      this.#state = 'text'
      return at + 1
    }
    const isQuote = character === '"' || character === "'"
    this.#quote = character
    this.#begin(isQuote ? 'quoted' : 'bare')
    return isQuote ? at + 1 : at
  }

  #begin(state: 'quoted' | 'bare'): void {
    this.#state = state
    this.#url = urlAttributes.has(this.#attribute) ? new UrlWriter({ isLink: true }) : undefined
  }

  #inQuotes(text: string, at: number): number {
    const close = text.indexOf(this.#quote, at)
    this.#url?.pass(text.slice(at, close === -1 ? text.length : close))
    if (close === -1) return text.length
    this.#endAttribute()
    return close + 1
  }

  #inBare(text: string, at: number): number {
    const length = text.slice(at).search(/[\s>]/)
    const close = length === -1 ? text.length : at + length
    this.#url?.pass(text.slice(at, close))
    if (length !== -1) this.#endAttribute()
    return close
  }

  #endAttribute(): void {
    this.#url?.end()
    this.#url = undefined
    this.#state = 'tag'
    this.#attribute = ''
    this.#isNamed = false
  }
}
