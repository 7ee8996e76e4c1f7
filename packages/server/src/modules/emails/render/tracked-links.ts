import { Parser } from 'htmlparser2'
import { html } from '../../../lib/html.ts'

/** Longer ones stay as they are: with its signature a longer one would not fit into the line of a request. */
const trackedUrlMax = 2000

/** Elements whose `href` a reader follows. */
const followed: ReadonlySet<string> = new Set(['a', 'area'])

/** An attribute of an element, and where in the markup it is. */
type Place = { readonly start: number; readonly end: number; readonly value: string }

/**
 * Finds the links of HTML, with their references resolved as browsers do. The parser builds no tree: it takes time in
 * proportion to the markup, of which a step has at most a megabyte.
 */
function linksIn(markup: string): Place[] {
  const places: Place[] = []
  let isOpen = false
  const parser = new Parser({
    onopentagname(name) {
      isOpen = followed.has(name)
    },
    onattribute(name, value) {
      if (!isOpen || name !== 'href') return
      // Of several, the first counts.
      isOpen = false
      places.push({ start: parser.startIndex, end: parser.endIndex, value })
    },
  })
  parser.end(markup)
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
