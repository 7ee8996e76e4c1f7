import { html, type Content } from '../../../lib/html.ts'
import type { Link, Links } from '../links/links.ts'
import { htmlOfText, type RenderedLetter } from './letter.ts'
import type { LinkPlace } from './link-places.ts'
import { withTrackedLinks } from './tracked-links.ts'

/** The parts of a letter that are made for its one recipient. */
type Decoration = {
  readonly tracksOpens: boolean
  /** The links whose clicks are tracked. */
  readonly trackedLinks: readonly LinkPlace[]
  /** The address of the reader, where the letter says how to get no more of them. */
  readonly unsubscribes: string | undefined
  /** The postal address of the sender; it is added to letters with a link to unsubscribe. */
  readonly postalAddress: string | null
}

type Decorated = { readonly text: string; readonly html: string | null; readonly unsubscribeUrl: string | undefined }

/** The end of the body is searched in so many of the last characters: HTML has a few lines after it. */
const tailMax = 10_000

/** Puts something at the end of the body, whether it says where it ends or not. */
function atEnd(markup: string, more: string): string {
  const tailAt = Math.max(0, markup.length - tailMax)
  // Not by a text in lower case, which may be longer.
  const found = [...markup.slice(tailAt).matchAll(/<\/body\s*>/gi)].at(-1)
  const at = found === undefined ? markup.length : tailAt + found.index
  return `${markup.slice(0, at)}${more}${markup.slice(at)}`
}

/** Returns a text with a line break in HTML for each of its own. */
const linesOf = (text: string) => text.split(/\r?\n/).map((line, index) => html`${index > 0 && html`<br>`}${line}`)

/** Puts the links of this one letter into it: those that count, and the one that ends them. */
export function decorate(
  { text, html: given }: RenderedLetter,
  links: Links,
  { workspaceId, emailId }: Omit<Link, 'url'>,
  { tracksOpens, trackedLinks, unsubscribes, postalAddress }: Decoration,
): Decorated {
  const link = (kind: Parameters<Links['urlOf']>[0], url = '') => links.urlOf(kind, { workspaceId, emailId, url })
  const unsubscribeUrl = unsubscribes === undefined ? undefined : link('unsubscribe', unsubscribes)
  const address: Content = postalAddress !== null && html`${linesOf(postalAddress)}<br>`
  const tracked = given && withTrackedLinks(given, trackedLinks, (url) => link('click', url))
  let markup = tracked ?? (tracksOpens ? htmlOfText(text) : null)
  if (markup !== null && unsubscribeUrl !== undefined)
    markup = atEnd(
      markup,
      html`<p style="font-size:12px">${address}<a href="${unsubscribeUrl}">Unsubscribe</a></p>`.text,
    )
  if (markup !== null && tracksOpens)
    markup = atEnd(markup, html`<img src="${link('open')}" width="1" height="1" alt="">`.text)
  return {
    text:
      unsubscribeUrl === undefined
        ? text
        : `${text}\n\n-- \n${postalAddress === null ? '' : `${postalAddress}\n`}Unsubscribe: ${unsubscribeUrl}\n`,
    html: markup,
    unsubscribeUrl,
  }
}
