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

/** References to characters by which browsers tell the scheme of a URL. */
const named: Readonly<Record<string, string>> = { colon: ':', tab: '\t', newline: '\n', amp: '&' }

/** Decodes an attribute as browsers do. */
const unescaped = (text: string): string =>
  text.replaceAll(/&(?:#(?:x([\da-f]{1,6})|(\d{1,7}));?|(colon|tab|newline|amp);)/gi, (source, hex, decimal, name) => {
    if (name !== undefined) return named[String(name).toLowerCase()] ?? source
    const point = hex === undefined ? Number(decimal) : Number.parseInt(String(hex), 16)
    return point <= 0x10_ff_ff ? String.fromCodePoint(point) : source
  })

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
  #whole = ''
  /** Where the URL that is being written begins. */
  #urlAt = 0

  pass(text: string): void {
    for (let at = 0; at < text.length;) {
      const next = this.#follow(text, at)
      this.#whole += text.slice(at, next)
      at = next
    }
  }

  write(value: unknown): string {
    if (this.#state === 'value') this.#begin('bare')
    const plain = this.#url?.write(value) ?? textOf(value)
    const text = this.#state === 'bare' ? escapedBare(plain) : escaped(plain)
    this.#whole += text
    return text
  }

  end(): string {
    this.#endUrl()
    return this.#whole
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
    this.#begin(isQuote ? 'quoted' : 'bare', isQuote ? 1 : 0)
    return isQuote ? at + 1 : at
  }

  #begin(state: 'quoted' | 'bare', length = 0): void {
    this.#state = state
    this.#url = urlAttributes.has(this.#attribute) ? new UrlWriter({ isLink: true }) : undefined
    this.#urlAt = this.#whole.length + length
  }

  #inQuotes(text: string, at: number): number {
    const close = text.indexOf(this.#quote, at)
    if (close !== at) return this.#passValue(text, at, close)
    this.#endAttribute()
    return at + 1
  }

  #inBare(text: string, at: number): number {
    const length = text.slice(at).search(/[\s>]/)
    if (length !== 0) return this.#passValue(text, at, length === -1 ? -1 : at + length)
    this.#endAttribute()
    return at
  }

  /** Passes over what the author wrote of a value, up to its end or that of the text. */
  #passValue(text: string, at: number, close: number): number {
    const end = close === -1 ? text.length : close
    this.#url?.pass(unescaped(text.slice(at, end)))
    return end
  }

  #endAttribute(): void {
    this.#endUrl()
    this.#state = 'tag'
    this.#attribute = ''
    this.#isNamed = false
  }

  /** A link that values have led elsewhere is emptied: without quotes, what follows would be its value. */
  #endUrl(): void {
    if (this.#url?.end() === '') this.#whole = this.#whole.slice(0, this.#urlAt) + (this.#state === 'bare' ? '""' : '')
    this.#url = undefined
  }
}
