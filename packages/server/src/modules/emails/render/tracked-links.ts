import { QuoteType, Tokenizer } from 'htmlparser2'
import { html } from '../../../lib/html.ts'

/** Longer ones stay as they are: with its signature a longer one would not fit into the line of a request. */
const trackedUrlMax = 2000

/** Elements whose `href` a reader follows. */
const followed: ReadonlySet<string> = new Set(['a', 'area'])

/** An attribute of an element, and where in the markup it is. */
type Place = { readonly start: number; readonly end: number; readonly value: string }

const ignored = (): void => undefined

/**
 * Finds the links of HTML, with their references resolved as browsers do. The tokenizer keeps no open elements, as a
 * parser does: each of many that are open would take longer than the one before. It takes time in proportion to the
 * markup, of which a step has at most a megabyte (docs/decisions/0260).
 */
function linksIn(markup: string): Place[] {
  const places: Place[] = []
  let isOpen = false
  let start = 0
  let name = ''
  let value = ''
  const tokenizer = new Tokenizer(
    { decodeEntities: true },
    {
      onopentagname: (from, to) => void (isOpen = followed.has(markup.slice(from, to).toLowerCase())),
      onattribname(from, to) {
        start = from
        name = isOpen ? markup.slice(from, to).toLowerCase() : ''
        value = ''
      },
      onattribdata: (from, to) => void (value += name === 'href' ? markup.slice(from, to) : ''),
      onattribentity: (point) => void (value += name === 'href' ? String.fromCodePoint(point) : ''),
      onattribend(quote, end) {
        if (name !== 'href' || quote === QuoteType.NoValue) return
        // Of several, the first counts.
        isOpen = false
        name = ''
        places.push({ start, end, value })
      },
      oncdata: ignored,
      onclosetag: ignored,
      oncomment: ignored,
      ondeclaration: ignored,
      onend: ignored,
      onopentagend: ignored,
      onprocessinginstruction: ignored,
      onselfclosingtag: ignored,
      ontext: ignored,
      ontextentity: ignored,
    },
  )
  tokenizer.write(markup)
  tokenizer.end()
  return places
}

/** The URL of a link that is tracked; undefined of one that stays as it is. */
function trackedIn(value: string): string | undefined {
  const url = value.trim()
  return /^https?:\/\//i.test(url) && url.length <= trackedUrlMax && URL.canParse(url) ? url : undefined
}

/** Leads the links of a letter over the server, and leaves everything else as it is written. */
export function withTrackedLinks(markup: string, trackedUrl: (url: string) => string): string {
  const pieces: string[] = []
  let at = 0
  for (const { start, end, value } of linksIn(markup)) {
    const url = trackedIn(value)
    if (url === undefined) continue
    pieces.push(markup.slice(at, start), html`href="${trackedUrl(url)}"`.text)
    at = end
  }
  return [...pieces, markup.slice(at)].join('')
}
