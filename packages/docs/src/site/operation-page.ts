import { errorDefinitions, eventDefinitions } from '@kontor/contract'
import { html, raw } from 'hono/html'
import { codeBlock } from './blocks.ts'
import { fieldList } from './field-list.ts'
import { membersOf } from './fields.ts'
import { fromMarkdown, lineFromMarkdown } from './markdown.ts'
import { methodMark } from './navigation.ts'
import { operationInMarkdown } from './operation-markdown.ts'
import { answerOf, bodyParts, factsOf, parameterField, responsesOf } from './operation-parts.ts'
import { heading, type Html, type Page } from './page.ts'
import type { Operation } from './operations.ts'
import type { Parameter } from '../openapi.ts'
import { samplesOf } from './samples.ts'
import { canBeTried, tryForm } from './try-form.ts'

/** Parameters that many operations have, and few readers look for. */
const isCommon = ({ name, in: place }: Parameter): boolean => place === 'header' || ['silent', 'dry_run'].includes(name)

function parameterSections({ parameters }: Operation, root: string): Html {
  const of = (list: readonly Parameter[]): Html => fieldList(list.map(parameterField), root)
  const section = (title: string, list: readonly Parameter[]): Html | '' =>
    list.length === 0 ? '' : html`${heading(2, title)}${of(list)}`
  const common = parameters.filter(isCommon)
  const names = common.map(({ name }, index) => html`${index > 0 ? ', ' : ''}<code>${name}</code>`)
  const path = parameters.filter((one) => one.in === 'path')
  const query = parameters.filter((one) => one.in === 'query' && !isCommon(one))
  const fold = html`<details class="common"><summary>Common to many operations: ${names}</summary>
${of(common)}</details>`
  return html`${section('Path', path)}${section('Query', query)}${common.length === 0 ? '' : fold}`
}

function bodySection({ body }: Operation, root: string): Html | '' {
  if (body === undefined) return ''
  const { fields, forms } = bodyParts(body)
  const text = forms === '' ? '' : html`<p>${lineFromMarkdown(forms, root)}</p>`
  return html`${heading(2, 'Body')}${text}${fieldList(fields, root)}`
}

function answer({ status, description, content = {} }: Operation['successes'][number], root: string): Html {
  const [[type, media] = []] = Object.entries(content)
  const fields = media === undefined ? [] : membersOf(media.schema)
  const text = lineFromMarkdown(description, root)
  return html`<h3 id="response-${status}"><span class="status">${status}</span> ${text}</h3>${
    type === undefined || type === 'application/json' ? '' : html`<p>Text, as <code>${type}</code>.</p>`
  }${fields.length > 0 ? fieldList(fields, root) : ''}`
}

/** Each success; equal bodies are described once. */
const answerSection = (operation: Operation, root: string): Html =>
  html`${heading(2, 'Response')}${responsesOf(operation).map(({ success, isRepeated }) =>
    isRepeated ? html`${answer({ ...success, content: {} }, root)}<p>The body is the same.</p>` : answer(success, root),
  )}`

const errorSection = ({ errors }: Operation, root: string): Html => html`${heading(2, 'Errors')}
<ul class="codes">${errors.map((code) => {
  const { status, title } = errorDefinitions[code]
  return html`<li><span class="status">${status}</span>
<a href="${root}errors/${code}.html"><code>${code}</code></a> ${title}</li>`
})}</ul>`

function eventSection({ events }: Operation, root: string): Html | '' {
  if (events.length === 0) return ''
  const items = events.map((type) => {
    const text = lineFromMarkdown(eventDefinitions[type].description, root)
    return html`<li><a href="${root}events.html#${type}"><code>${type}</code></a> ${text}</li>`
  })
  return html`${heading(2, 'Events')}<ul class="codes">${items}</ul>`
}

const facts = (operation: Operation, root: string): Html =>
  html`<dl class="facts">${factsOf(operation).map(
    ([name, value]) => html`<div><dt>${name}</dt><dd>${lineFromMarkdown(value, root)}</dd></div>`,
  )}</dl>`

/** A path that may break before each part, with its parameters marked. */
const route = ({ path }: Operation['endpoint']): Html =>
  raw(path.replaceAll('/', '<wbr>/').replaceAll(/\{\w+\}/g, '<var>$&</var>'))

function aside(operation: Operation, root: string): Html {
  const answered = answerOf(operation)
  const samples = samplesOf(operation).map(({ language, syntax, code }) => codeBlock(language, syntax, code))
  return html`<div class="tabs">${samples}</div>
${answered === undefined ? '' : codeBlock(answered.title, answered.syntax, answered.code)}
${canBeTried(operation) ? tryForm(operation, root) : ''}`
}

export const operationPage = (operation: Operation): Page => ({
  path: `reference/${operation.domain}/${operation.key}`,
  title: operation.summary,
  summary: `${operation.endpoint.method} ${operation.endpoint.path}. ${operation.description}`.trim(),
  body: (root) => html`<h1>${operation.summary}</h1>
<p class="route">${methodMark(operation.endpoint.method)}<code>/v1${route(operation.endpoint)}</code></p>
${fromMarkdown(operation.description, root)}
${facts(operation, root)}
${parameterSections(operation, root)}
${bodySection(operation, root)}
${answerSection(operation, root)}
${eventSection(operation, root)}
${errorSection(operation, root)}`,
  aside: (root) => aside(operation, root),
  markdown: operationInMarkdown(operation),
})
