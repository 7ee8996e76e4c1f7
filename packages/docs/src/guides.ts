import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Marked } from 'marked'

const pages = join(import.meta.dirname, '../pages')

/** The chapter on errors stands in the reference. */
const inReference = ['errors.md']

const row = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`

const marked = new Marked({
  renderer: {
    // On a phone a wide table scrolls by itself, and the page stays.
    table(token) {
      const cell =
        (tag: 'th' | 'td') =>
        ({ tokens }: (typeof token.header)[number]) =>
          `<${tag}>${this.parser.parseInline(tokens)}</${tag}>`
      return (
        `<div class="table"><table><thead>${row(token.header.map(cell('th')))}</thead>` +
        `<tbody>${token.rows.map((cells) => row(cells.map(cell('td')))).join('')}</tbody></table></div>\n`
      )
    },
    link({ href, tokens }) {
      if (!/^(https?:|\/docs\/|#)/.test(href))
        throw new Error(`a guide is read on the web too, where there is no ${href}`)
      // Beside the guide, wherever a proxy puts both.
      const target = href.replace(/^\/docs\/guides\//, '').replace(/^\/docs\//, '../')
      return `<a href="${target}">${this.parser.parseInline(tokens)}</a>`
    },
  },
})

/** The guides as the server shows them: a page's content each, by their path in this package. */
export const guides = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(pages)
      .filter((name) => !inReference.includes(name))
      .map((name) => [
        `dist/guides/${name.replace(/\.md$/, '.html')}`,
        marked.parse(readFileSync(join(pages, name), 'utf8'), { async: false }),
      ]),
  )
