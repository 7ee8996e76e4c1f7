import { eventDefinitions, eventTypes } from '@kontor/contract'
import { html } from 'hono/html'
import { z } from 'zod'
import { guideGroups, guides, introduction, type Guide } from './guides.ts'
import { fieldList, fieldsInMarkdown } from './field-list.ts'
import { membersOf } from './fields.ts'
import type { Schema } from '../openapi.ts'
import { fromMarkdown, lineFromMarkdown } from './markdown.ts'
import { methodMark } from './navigation.ts'
import { domains, operations, type DomainOfOperations } from './operations.ts'
import type { Heading, Html, Page } from './page.ts'
import { pluginPages } from './plugin-page.ts'
import { withTabs } from './tabs.ts'

/** The first sentence of a chapter. */
const summaryOf = (markdown: string): string =>
  (markdown.split('\n\n').find((part) => /^[A-Za-z`[]/.test(part)) ?? '')
    .replaceAll('\n', ' ')
    .replace(/(?<=[.:]) .*$/, '')

/** The headings of the second level, and those of the third within "Details"; lines of code are none. */
function headingsOf(markdown: string): Heading[] {
  const [guide = '', details = ''] = markdown.replaceAll(/^```[\s\S]*?^```/gm, '').split(/^(?=## Details$)/m)
  return [...guide.matchAll(/^(##) (.*)$/gm), ...details.matchAll(/^(###?) (.*)$/gm)].map(
    ([, marks = '', title = '']) => ({ title, level: marks === '##' ? 2 : 3 }),
  )
}

const guidePage = ({ name, title, markdown }: Guide): Page => ({
  path: `guides/${name}`,
  title,
  summary: summaryOf(markdown),
  body: (root) => html`${fromMarkdown(withTabs(markdown), root)}`,
  headings: headingsOf(markdown),
  markdown,
})

const guideList = (of: readonly Guide[], root: string): Html =>
  html`<ul>${of.map(({ name, title }) => html`<li><a href="${root}guides/${name}.html">${title}</a></li>`)}</ul>`

const guideIndex: Page = {
  path: 'guides/index',
  title: 'Guides',
  summary: 'All guides, by subject.',
  body: (root) =>
    html`<h1>Guides</h1>
${guideGroups.map(({ title, guides: within }) => html`<h2>${title}</h2>${guideList(within, root)}`)}`,
  markdown: ['# Guides', ...guides.map(({ name, title }) => `- [${title}](${name}.md)`)].join('\n'),
}

const domainPage = ({ name, title, description, operations: members }: DomainOfOperations): Page => ({
  path: `reference/${name}`,
  title,
  summary: description,
  body: (root) => html`<h1>${title}</h1><p>${lineFromMarkdown(description, root)}</p>
<ul class="operations">${members.map(
    ({ key, summary, endpoint }) =>
      html`<li>${methodMark(endpoint.method)}<a href="${root}reference/${name}/${key}.html">${summary}</a>
<code>${endpoint.path}</code></li>`,
  )}</ul>`,
  markdown: [
    `# ${title}`,
    description,
    members
      .map(({ key, summary, endpoint }) => `- [${summary}](${name}/${key}.md): \`${endpoint.method} ${endpoint.path}\``)
      .join('\n'),
  ].join('\n\n'),
})

const events = eventTypes.map((type) => ({
  type,
  ...eventDefinitions[type],
  fields: membersOf(z.toJSONSchema(eventDefinitions[type].payload) as Schema),
}))

const eventPage: Page = {
  path: 'events',
  title: 'Events',
  summary: 'The events that webhooks, streams and workflows receive.',
  body: (root) => html`<h1>Events</h1>
<p>The events of a workspace, which <a href="${root}guides/receive-webhooks.html">webhooks</a>, the
<a href="${root}reference/events.html">list and stream of events</a> and workflows receive. An event contains the
changes, not the whole record.</p>
${events.map(
  ({ type, description, scope, fields }) =>
    html`<h2 id="${type}"><a href="#${type}"><code>${type}</code></a></h2>
<p>${lineFromMarkdown(description, root)}${scope === null ? '' : html` Needs <code>${scope}</code>.`}</p>
${fieldList(fields, root)}`,
)}`,
  markdown: [
    '# Events',
    ...events.map(({ type, description, fields }) => `## ${type}\n\n${description}\n\n${fieldsInMarkdown(fields)}`),
  ].join('\n\n'),
}

/** The guides to read first. */
const first = ['start', 'authentication', 'write-records', 'sdks-and-clients'].flatMap((name) =>
  guides.filter((guide) => guide.name === name),
)

const home: Page = {
  path: 'index',
  title: 'Kontor',
  summary: 'An open CRM backend: guides and the reference of its API.',
  body: (root) => html`<h1>Kontor</h1>
${fromMarkdown(introduction, root)}
<div class="cards">
<section><h2>Begin</h2>${guideList(first, root)}<p><a href="${root}guides/index.html">All guides</a></p></section>
${domains.map(
  ({ name, title, description, operations: { length } }) =>
    html`<section><h2><a href="${root}reference/${name}.html">${title}</a></h2>
<p>${lineFromMarkdown(description, root)}</p>
<p class="soft">${length === 1 ? '1 operation' : `${length} operations`}</p></section>`,
)}
</div>`,
  markdown: [
    '# Kontor',
    introduction,
    `${operations.length} operations; all pages are listed in [llms.txt](llms.txt).`,
  ].join('\n\n'),
}

/** The page for unknown addresses; servers and hosts find it by this name. */
const notFound: Page = {
  path: '404',
  title: 'No such page',
  summary: 'There is no page at this address.',
  body: (root) => html`<h1>No such page</h1>
<p>There is nothing at this address. Search the documentation (press <kbd>/</kbd>), or start here:</p>
${guideList(first, root)}
<p><a href="${root}guides/index.html">All guides</a>, <a href="${root}index.html">all operations</a>,
<a href="${root}errors.html">all error codes</a>.</p>`,
  markdown: undefined,
}

export const otherPages: readonly Page[] = [
  home,
  notFound,
  guideIndex,
  ...guides.map(guidePage),
  ...domains.map(domainPage),
  eventPage,
  ...pluginPages,
]
