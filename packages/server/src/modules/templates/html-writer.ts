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

/** The ends of the names of a tag, of the blanks in front of a value, and of a value without quotes. */
const tagStop = /[=>]/g
const notBlank = /\S/g
const bareStop = /[\s>]/g

/** Finds the first character that a global pattern matches, from a place on; -1 without one. */
function indexOf(pattern: RegExp, text: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex - 1 : -1
}

const blank = /\s/

/** Returns whether a character separates names of attributes. */
function isBetweenNames(text: string, at: number): boolean {
  const code = text.charCodeAt(at)
  return code >= space && code < 0x80 ? code === space || code === slash : blank.test(text.charAt(at))
}

const space = 0x20
const slash = 0x2f

type State = 'text' | 'comment' | 'tag' | 'value' | 'quoted' | 'bare'

/**
 * Writes values into HTML as text. It follows what the author wrote, an attribute at a time, only as far as it must to
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
    if (this.#state === 'text') return this.#inText(text, at)
    if (this.#state === 'comment') return this.#inComment(text, at)
    if (this.#state === 'tag') return this.#inTag(text, at)
    if (this.#state === 'value') return this.#beforeValue(text, at)
    return this.#state === 'quoted' ? this.#inQuotes(text, at) : this.#inBare(text, at)
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
    const stop = indexOf(tagStop, text, at)
    this.#passNames(text, at, stop === -1 ? text.length : stop)
    if (stop === -1) return text.length
    this.#state = text[stop] === '>' ? 'text' : 'value'
    return stop + 1
  }

  /** Passes over names of attributes without values; the last of them has the value that may follow. */
  #passNames(text: string, from: number, to: number): void {
    let end = to
    while (end > from && isBetweenNames(text, end - 1)) end--
    let start = end
    while (start > from && !isBetweenNames(text, start - 1)) start--
    if (start < end) {
      // A name may have begun in front of a variable.
      const begun = start > from || this.#isNamed ? '' : this.#attribute
      this.#attribute = `${begun}${text.slice(start, Math.min(end, start + nameMax)).toLowerCase()}`.slice(0, nameMax)
    }
    if (start < end || end < to) this.#isNamed = end < to && this.#attribute !== ''
  }

  #beforeValue(text: string, at: number): number {
    const start = indexOf(notBlank, text, at)
    if (start === -1) return text.length
    const character = text[start] ?? ''
    if (character === '>') {
      this.#state = 'text'
      return start + 1
    }
    const isQuote = character === '"' || character === "'"
    const close = isQuote ? text.indexOf(character, start + 1) : indexOf(bareStop, text, start)
    if (close !== -1) {
      // No variable is in it, so nothing of it can lead elsewhere.
      this.#endAttribute()
      return isQuote ? close + 1 : close
    }
    this.#quote = character
    this.#begin(isQuote ? 'quoted' : 'bare', start - at + (isQuote ? 1 : 0))
    return isQuote ? start + 1 : start
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
    const close = indexOf(bareStop, text, at)
    if (close !== at) return this.#passValue(text, at, close)
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
