import { errorCodes, errorDefinitions } from '@kontor/contract'
import { html, raw } from 'hono/html'
import { guideGroups, type Guide } from './guides.ts'
import { domains, type DomainOfOperations, type Operation } from './operations.ts'
import type { Html } from './page.ts'

/** Where a reader is, and how the root of the site is reached from there. */
type Here = { readonly path: string; readonly root: string }

const link = ({ path, root }: Here, to: string, text: Html | string): Html =>
  html`<li><a href="${root}${to}.html"${raw(to === path ? ' aria-current="page"' : '')}>${text}</a></li>`

export const methodMark = (method: string): Html =>
  html`<b class="${method.toLowerCase()}">${method === 'DELETE' ? 'DEL' : method}</b>`

/** Longer names do not fit into the column. */
const inOneLineMax = 20

/** A long name breaks at its underscores. */
const breakable = (name: string): Html =>
  name.length <= inOneLineMax
    ? html`${name}`
    : html`<span>${name.split('_').map((part, at) => html`${at > 0 ? raw('_<wbr>') : ''}${part}`)}</span>`

const isWithin = ({ path }: Here, part: string): boolean => path === part || path.startsWith(`${part}/`)

/**
 * A part, with its pages where the reader is within it. Elsewhere it leads to its overview, which has them: all pages
 * on each page would be most of what a reader loads.
 */
const fold = (here: Here, title: string, part: string, items: () => readonly Html[]): Html =>
  isWithin(here, part)
    ? html`<details open><summary>${title}</summary><ul>${link(here, part, 'Overview')}${items()}</ul></details>`
    : html`<a class="fold" href="${here.root}${part}.html">${title}</a>`

const guideLinks = (here: Here, guides: readonly Guide[]): Html[] =>
  guides.map(({ name, title }) => link(here, `guides/${name}`, title))

const operationLink = (here: Here, { domain, key, summary, endpoint }: Operation): Html =>
  link(here, `reference/${domain}/${key}`, html`${methodMark(endpoint.method)}${summary}`)

const domainFold = (here: Here, { name, title, operations }: DomainOfOperations): Html =>
  fold(here, title, `reference/${name}`, () => operations.map((operation) => operationLink(here, operation)))

const groups = [...Map.groupBy(domains, ({ group }) => group)]

/** One order of all there is: guides, the reference by domain, events, blocks, errors. */
export const navigation = (here: Here): Html => html`${guideGroups.map(
  ({ title, guides }) => html`<h2>${title}</h2><ul>${guideLinks(here, guides)}</ul>`,
)}
${groups.map(([group, members]) => html`<h2>${group}</h2>${members.map((domain) => domainFold(here, domain))}`)}
<h2>More</h2>
<ul>${link(here, 'events', 'Events')}${link(here, 'blocks', 'Workflow blocks')}</ul>
${fold(here, 'Errors', 'errors', () =>
  errorCodes.map((code) =>
    link(here, `errors/${code}`, html`<b>${errorDefinitions[code].status}</b>${breakable(code)}`),
  ),
)}`
