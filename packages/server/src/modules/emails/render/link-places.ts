import { QuoteType, Tokenizer } from 'htmlparser2'

/** Longer ones stay as they are: with its signature a longer one would not fit into the line of a request. */
const trackedUrlMax = 2000

/** More than any e-mail has: each is signed by the server, and becomes some 200 characters longer. */
const trackedMax = 1000

/** The `href` of a link in HTML, and the URL that it leads to. */
export type LinkPlace = { readonly start: number; readonly end: number; readonly url: string }

/** Elements whose `href` a reader follows. */
const followed: ReadonlySet<string> = new Set(['a', 'area'])

const ignored = (): void => undefined

/**
 * Finds the first thousand links of HTML that can be tracked, with their references resolved as browsers do. The
 * tokenizer keeps no open elements, as a parser does: each of many that are open would take longer than the one before.
 */
export function findLinks(markup: string): LinkPlace[] {
  const places: LinkPlace[] = []
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
        const url = trackedIn(value)
        if (url !== undefined && places.length < trackedMax) places.push({ start, end, url })
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
