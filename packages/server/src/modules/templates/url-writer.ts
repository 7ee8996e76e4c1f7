import { textOf, type Writer } from './syntax.ts'
import { TemplateFault } from './variable-filters.ts'

const encoded = (value: unknown): string => encodeURIComponent(textOf(value).toWellFormed())

/** Schemes whose rest is an address with a character or two of its own. */
const addressing = /^\s*(?:mailto|tel|sms):/i

/** Schemes that a value may give a link. */
const plainSchemes = new Set(['http', 'https', 'mailto', 'tel'])

/** Schemes that run what follows them, whoever wrote it: a value is never put there. */
const running = new Set(['javascript', 'vbscript'])

/**
 * The scheme of a URL, as browsers read it: they pass over control characters and blanks in front, and over tabs and
 * line ends everywhere.
 */
const schemeOf = (url: string): string | undefined =>
  /^([^:/?#]*):/.exec(url.replaceAll(/^[\0- ]+|[\t\n\r]/g, ''))?.[1]?.toLowerCase()

/** A link that a value brings along; nothing where its scheme does more than lead somewhere, as `javascript:` does. */
export function plainLink(text: string): string {
  const scheme = schemeOf(text)
  return scheme === undefined || plainSchemes.has(scheme) ? text : ''
}

/** Path segments that clients resolve as the directory itself or the one above. */
const dots = /^(?:\.|%2e){1,2}$/i

/** Characters of a segment that are kept: more are no dots. */
const segmentMax = 8

/**
 * Writes values into a URL. What it begins with says where it leads, so a variable there is taken as it is; any other
 * is percent-encoded, so that it stays in its place. Throws `TemplateFault` if a value makes a segment of the path a
 * dot or two, for which URLs have no other spelling.
 */
export class UrlWriter implements Writer {
  readonly #isLink: boolean
  #isFirst = true
  #isAddress = false
  #isPath = true
  #segment = ''
  #isFilled = false
  #whole = ''
  /** The text in front of the first value. */
  #front: string | undefined

  /** A link may be followed by a reader: there, values bring along no scheme but the plain ones. */
  constructor({ isLink }: { readonly isLink: boolean }) {
    this.#isLink = isLink
  }

  /**
   * True if it is a link that values have led elsewhere than to a page or an address: judged as a whole, since a scheme
   * may be made of several of them, and of what stands in between.
   */
  get isRefused(): boolean {
    const scheme = schemeOf(this.#whole)
    if (!this.#isLink || this.#front === undefined || scheme === undefined || plainSchemes.has(scheme)) return false
    return running.has(scheme) || schemeOf(this.#front) !== scheme
  }

  pass(text: string): void {
    this.#whole += text
    if (this.#isFirst && text.trim() !== '') {
      this.#isFirst = false
      this.#isAddress = addressing.test(text)
    }
    this.#follow(text)
  }

  write(value: unknown): string {
    this.#front ??= this.#whole
    const text = this.#written(value)
    this.#whole += text
    return text
  }

  end(): string {
    this.#endSegment()
    return this.isRefused ? '' : this.#whole
  }

  #written(value: unknown): string {
    if (this.#isFirst) {
      this.#isFirst = false
      const whole = this.#isLink ? plainLink(textOf(value)) : textOf(value)
      this.#follow(whole)
      return whole
    }
    const text = encoded(value)
    this.#isFilled = true
    this.#extend(text)
    return this.#isAddress && this.#isPath ? text.replaceAll('%40', '@').replaceAll('%2B', '+') : text
  }

  #endSegment(): void {
    if (this.#isPath && this.#isFilled && dots.test(this.#segment))
      throw new TemplateFault('a value makes a path segment of the URL "." or "..", which changes the path')
    this.#segment = ''
    this.#isFilled = false
  }

  #follow(text: string): void {
    for (const part of text.split(/([/\\?#])/)) {
      if (!this.#isPath) return
      if (part === '' || !'/\\?#'.includes(part)) this.#extend(part)
      else {
        this.#endSegment()
        this.#isPath = part === '/' || part === '\\'
      }
    }
  }

  #extend(text: string): void {
    if (this.#segment.length < segmentMax) this.#segment += text.replaceAll(/[\t\r\n]/g, '').slice(0, segmentMax)
  }
}
