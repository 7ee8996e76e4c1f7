import { html, raw } from 'hono/html'

export type Html = ReturnType<typeof html>

/** A heading of a text; those within its details are on the third level. */
export type Heading = { readonly title: string; readonly level: 2 | 3 }

/** A page of the site; only the page for unknown addresses has no Markdown. */
export type Page = {
  /** Below the root of the site, without an ending: `reference/records/create`. */
  readonly path: string
  readonly title: string
  /** One sentence, for lists of pages. */
  readonly summary: string
  /** The content; `root` leads from the page to the root of the site. */
  readonly body: (root: string) => Html
  /** The content beside it on a wide screen. */
  readonly aside?: (root: string) => Html
  /** The headings of a long text, for "On this page". */
  readonly headings?: readonly Heading[]
  readonly markdown: string | undefined
}

/** From a page to the root of the site. Relative, so that pages open from a folder too. */
export const rootOf = (path: string): string => '../'.repeat(path.split('/').length - 1)

export const anchorOf = (title: string): string =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')

/** A heading that can be linked to. */
export const heading = (level: 2 | 3, title: string, id = anchorOf(title)): Html =>
  html`<h${raw(String(level))} id="${id}"><a href="#${id}">${title}</a></h${raw(String(level))}>`
