import { errorDefinitions, eventDefinitions } from '@kontor/contract'
import { fieldsInMarkdown } from './field-list.ts'
import { membersOf } from './fields.ts'
import { answerOf, bodyParts, factsOf, parameterField, responsesOf } from './operation-parts.ts'
import type { Operation } from './operations.ts'
import { samplesOf } from './samples.ts'

const section = (title: string, text: string): string[] => (text === '' ? [] : [`## ${title}\n\n${text}`])

const block = (title: string, syntax: string, code: string): string => `${title}\n\n\`\`\`${syntax}\n${code}\n\`\`\``

const answers = (operation: Operation): string =>
  responsesOf(operation)
    .map(({ success: { status, description, content = {} }, isRepeated }) => {
      const [[type, media] = []] = Object.entries(content)
      const fields = media === undefined ? '' : fieldsInMarkdown(membersOf(media.schema))
      const kind = type === undefined || type === 'application/json' ? '' : ` (${type})`
      const body = isRepeated ? 'The body is the same.' : fields
      return [`**${status}**${kind} ${description}`, body].filter((part) => part !== '').join('\n\n')
    })
    .join('\n\n')

function bodyInMarkdown(body: NonNullable<Operation['body']>): string {
  const { fields, forms } = bodyParts(body)
  return [forms, fieldsInMarkdown(fields)].filter((part) => part !== '').join('\n\n')
}

/** The page of an operation for readers of plain text, and for programs that read. */
export function operationInMarkdown(operation: Operation): string {
  const { summary, endpoint, description, parameters, body, events, errors } = operation
  const answered = answerOf(operation)
  return [
    `# ${summary}`,
    `\`${endpoint.method} /v1${endpoint.path}\``,
    ...(description === '' ? [] : [description]),
    factsOf(operation)
      .map(([name, value]) => `- ${name}: ${value}`)
      .join('\n'),
    ...section('Parameters', fieldsInMarkdown(parameters.map(parameterField))),
    ...section('Body', body === undefined ? '' : bodyInMarkdown(body)),
    ...section('Response', answers(operation)),
    ...section('Events', events.map((type) => `- \`${type}\`: ${eventDefinitions[type].description}`).join('\n')),
    ...section(
      'Errors',
      errors
        .map((code) => `- ${errorDefinitions[code].status} \`${code}\`: ${errorDefinitions[code].title}`)
        .join('\n'),
    ),
    '## Samples',
    ...samplesOf(operation).map(({ language, syntax, code }) => block(language, syntax, code)),
    ...(answered === undefined ? [] : [block(answered.title, answered.syntax, answered.code)]),
  ].join('\n\n')
}
