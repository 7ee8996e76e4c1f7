import { errorCodes, errorDefinitions, type ErrorCode } from '@kontor/contract'
import { errorGuide } from '@kontor/contract/openapi'
import { html } from 'hono/html'
import { codeBlock } from './blocks.ts'
import { errorSamples } from './error-samples.ts'
import { json, literal } from './literal.ts'
import { fromMarkdown, lineFromMarkdown } from './markdown.ts'
import { methodMark } from './navigation.ts'
import { operations, type Operation } from './operations.ts'
import { heading, type Html, type Page } from './page.ts'

const again = {
  never: 'No: the same request fails again. Change it first.',
  later: 'Yes: send the same request again after the number of seconds in `Retry-After`.',
} as const

/** The body of the response. */
const exampleOf = (code: ErrorCode): unknown => {
  const { status, title, fix } = errorDefinitions[code]
  const id = '019b2f6e-7a00-7000-8000-00000000002a'
  return { errors: [{ id, status: String(status), code, title, ...(errorSamples[code] ?? { detail: fix }) }] }
}

const returnedBy = (code: ErrorCode): readonly Operation[] => operations.filter(({ errors }) => errors.includes(code))

/** A code that most operations return is not listed with them. */
const namedMax = operations.length / 2

const operationList = (found: readonly Operation[], root: string): Html =>
  found.length > namedMax
    ? html`<p>${found.length} of ${operations.length} operations.</p>`
    : html`<ul class="operations">${found.map(
        ({ domain, key, summary, endpoint }) =>
          html`<li>${methodMark(endpoint.method)}<a href="${root}reference/${domain}/${key}.html">${summary}</a></li>`,
      )}</ul>`

function errorPage(code: ErrorCode): Page {
  const { status, title, retry, fix } = errorDefinitions[code]
  const found = returnedBy(code)
  return {
    path: `errors/${code}`,
    title: `${code}: ${title}`,
    summary: `${status}. ${fix}`,
    body: (root) => html`<h1>${title}</h1>
<p class="route"><span class="status">${status}</span> <code>${code}</code></p>
${heading(2, 'Solution')}<p>${lineFromMarkdown(fix, root)}</p>
${heading(2, 'Can it be retried?')}<p>${lineFromMarkdown(again[retry], root)}</p>
${heading(2, 'Operations that return it')}${operationList(found, root)}
<p><a href="${root}errors.html">All errors, and their format</a></p>`,
    aside: () => codeBlock('Response', 'json', literal(exampleOf(code), json)),
    markdown: [
      `# ${title}`,
      `${status} \`${code}\``,
      fix,
      `Can it be retried? ${again[retry]}`,
      `\`\`\`json\n${literal(exampleOf(code), json)}\n\`\`\``,
      found.length > namedMax
        ? `${found.length} of ${operations.length} operations return it.`
        : found.map((operation) => `- ${operation.summary} (\`${operation.id}\`)`).join('\n'),
    ].join('\n\n'),
  }
}

/** A page for each code, and one with all. */
export const errorPages: readonly Page[] = [
  {
    path: 'errors',
    title: 'Errors',
    summary: 'Every error code of the API, and what to do about it.',
    body: (root) => html`${fromMarkdown(errorGuide, root)}`,
    markdown: errorGuide,
  },
  ...errorCodes.map(errorPage),
]
