import { errorCodesOf, inputSchema, isMutation, roleOf, suggestion } from '@kontor/contract'
import { z } from 'zod'
import type { Call } from '../../kernel/calls.ts'
import { failure } from '../../kernel/errors.ts'
import { tool } from '../tool.ts'
import { isExecutable } from './search-operations.ts'

export const operationName = z.string().min(1).max(100).meta({ description: 'For example `campaigns.create`.' })

/** Finds an operation by its name; the underscore of the document is accepted too. */
export function operationOf(calls: readonly Call[], given: string): Call {
  const name = given.replace('_', '.')
  const executable = calls.filter(isExecutable)
  const found = executable.find((call) => call.name === name)
  if (found !== undefined) return found
  const names = executable.map((call) => call.name)
  throw failure('invalid_parameter', `There is no operation "${given}".${suggestion(name, names)}`, {
    source: { pointer: '/operation' },
  })
}

export const describeOperation = tool({
  name: 'describe_operation',
  title: 'Describe an operation of the API',
  description: 'Shows what an operation does, requires and accepts, with the JSON Schema of its input for `execute`.',
  uses: [],
  input: z.strictObject({ operation: operationName }),
  async run({ calls }, { operation }) {
    const { name, endpoint } = operationOf(calls, operation)
    const { properties: { workspace: _, ...properties } = {}, ...schema } = inputOf(endpoint)
    return [
      `# ${name}: ${endpoint.summary}`,
      endpoint.description,
      `${requirement(endpoint)} ${isMutation(endpoint) ? 'Changes data.' : 'Reads only.'}`,
      `Errors: ${errorCodesOf(endpoint).join(', ')}.`,
      `\`\`\`json\n${JSON.stringify({ ...schema, properties })}\n\`\`\``,
      ...(endpoint.examples === undefined ? [] : [`Example body: \`${JSON.stringify(endpoint.examples.body)}\``]),
    ].join('\n\n')
  },
})

const requirement = (endpoint: Call['endpoint']): string =>
  `Requires the role ${roleOf(endpoint)}${endpoint.scope === null ? '' : ` and the scope \`${endpoint.scope}\``}.`

/** The schema of a whole call; the workspace is that of the connection. */
function inputOf(endpoint: Call['endpoint']) {
  const {
    $schema: _,
    required = [],
    ...schema
  } = z.toJSONSchema(inputSchema(endpoint), {
    io: 'input',
    unrepresentable: 'any',
  })
  return { ...schema, required: required.filter((name) => name !== 'workspace') }
}
