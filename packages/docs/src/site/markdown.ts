import { errorDefinitions } from '@kontor/contract'
import { raw } from 'hono/html'
import { Marked, type Tokens } from 'marked'
import { markedHighlight } from 'marked-highlight'
import { highlight } from './highlight.ts'
import { operations } from './operations.ts'
import { anchorOf, type Html } from './page.ts'

/** `POST …/records/bulk`: an operation by the end of its path, if there is one such. */
function operationNamed(code: string): string | undefined {
  const [, method, path] = /^(GET|POST|PUT|PATCH|DELETE) (?:\/v1)?(\S+)$/.exec(code) ?? []
  if (path === undefined) return undefined
  const found = operations.filter(
    ({ endpoint }) =>
      endpoint.method === method &&
      (path.startsWith('…') ? endpoint.path.endsWith(path.slice(1)) : endpoint.path === path.split('?')[0]),
  )
  const [only, ...others] = found
  return only === undefined || others.length > 0 ? undefined : `reference/${only.domain}/${only.key}.html`
}

/** The page that explains a piece of code, by its path in the site. */
const pageOf = (code: string): string | undefined =>
  Object.hasOwn(errorDefinitions, code) ? `errors/${code}.html` : operationNamed(code)

/** `/docs/guides/connect-an-app` as a page of the site; what leads elsewhere stays. */
function linkTarget(href: string, root: string): string {
  const [, path = '', fragment = ''] = /^\/docs\/([^#]*)(#.*)?$/.exec(href) ?? []
  if (!href.startsWith('/docs/')) {
    if (/^(https?:|#)/.test(href)) return href
    throw new Error(`a guide is read on the web too, where there is no ${href}`)
  }
  if (path.endsWith('.json')) return `${root}${path}`
  return `${root}${path === '' || path.endsWith('/') ? `${path}index` : path}.html${fragment}`
}

/** Names of settings and of standards (`UTF-8`), which are never broken between two lines. */
const isWhole = /^[A-Z][A-Z0-9]*(?:[_-][A-Z0-9]+)+$/

/** The same within a text. */
const standards = /\b[A-Z]{2,}-\d+\b/g

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The text of a heading, without its marks, in the value of an attribute. */
const quotable = (text: string): string => escaped(text.replaceAll('`', '')).replaceAll('"', '&quot;')

const row = (cells: readonly string[]): string => `<tr>${cells.join('')}</tr>`

const rendererFor = (root: string) =>
  new Marked(
    markedHighlight({ langPrefix: 'hljs language-', highlight: (code, language) => highlight(code, language) }),
    {
      renderer: {
        // On a phone a table of two columns scrolls by itself; the cells of a wider one are below one another, and all
        // but the first have the name of their column.
        table({ header, rows }) {
          const isWide = header.length > 2
          const head = header.map(({ tokens }) => `<th>${this.parser.parseInline(tokens)}</th>`)
          const cell = ({ tokens }: Tokens.TableCell, column: number) => {
            const name = isWide && column > 0 ? ` data-column="${quotable(header[column]?.text ?? '')}"` : ''
            return `<td${name}>${this.parser.parseInline(tokens)}</td>`
          }
          const body = rows.map((cells) => row(cells.map(cell))).join('')
          return `<div class="table"><table><thead>${row(head)}</thead><tbody>${body}</tbody></table></div>\n`
        },
        heading({ depth, tokens, text }) {
          const inner = this.parser.parseInline(tokens)
          if (depth === 1) return `<h1>${inner}</h1>\n`
          const id = anchorOf(text)
          return `<h${depth} id="${id}"><a href="#${id}">${inner}</a></h${depth}>\n`
        },
        link({ href, tokens }) {
          return `<a href="${linkTarget(href, root)}">${this.parser.parseInline(tokens)}</a>`
        },
        text(token) {
          if ('tokens' in token && token.tokens) return this.parser.parseInline(token.tokens)
          const inner = 'escaped' in token && token.escaped ? token.text : escaped(token.text)
          return inner.replaceAll(standards, '<span class="whole">$&</span>')
        },
        codespan({ text }) {
          const named = isWhole.test(text) ? ' class="whole"' : ''
          const code = `<code${named}>${escaped(text)}</code>`
          const page = pageOf(text)
          return page === undefined ? code : `<a href="${root}${page}">${code}</a>`
        },
      },
    },
  )

const renderers = new Map<string, Marked>()

function renderer(root: string): Marked {
  const known = renderers.get(root) ?? rendererFor(root)
  renderers.set(root, known)
  return known
}

/** Markdown as markup of a page from which `root` leads to the root of the site. */
export const fromMarkdown = (text: string, root: string): Html => raw(renderer(root).parse(text, { async: false }))

/** The same for a sentence within a line. */
export const lineFromMarkdown = (text: string, root: string): Html =>
  raw(renderer(root).parseInline(text, { async: false }))
