import { arrivalsPerMinute, callsPerMinute, inWorkspace, isOpen, roleOf, type Endpoint } from '@kontor/contract'
import { scopeNeeded } from '@kontor/contract/openapi'
import type { Parameter } from '../openapi.ts'
import { fieldOf, type Field } from './fields.ts'
import { json, literal } from './literal.ts'
import type { Operation } from './operations.ts'

/** A parameter as a field; what is within it is spelled in its description. */
export const parameterField = ({ name, required, description = '', schema }: Parameter): Field => {
  const field = fieldOf(schema, { name, required })
  return { ...field, description: description === '' ? field.description : description, fields: [] }
}

const limitsChapter = '/docs/guides/limits'

const rate = (calls: number): string => `${calls.toLocaleString('en')} calls a minute`

/** How often it may be called, who shares that, and where an answer says how much is left. */
function rateLimitOf(endpoint: Endpoint): string {
  if (endpoint.caller === 'public') return 'none'
  if (endpoint.caller === 'address')
    return `${rate(arrivalsPerMinute)} to each address; answers do not tell what is left`
  const sharers = inWorkspace(endpoint)
    ? 'of this operation in the workspace, all callers together'
    : 'of this operation by one caller'
  const told = `what is left stands in \`RateLimit\` ([limits](${limitsChapter}))`
  return `${rate(callsPerMinute)} ${sharers}, unless the operator sets another; ${told}`
}

/** What a caller needs and may, as pairs of a name and what it is. */
export const factsOf = (operation: Operation): [string, string][] => [
  ...needsOf(operation),
  ['Rate limit', rateLimitOf(operation.endpoint)],
]

function needsOf({ endpoint }: Operation): [string, string][] {
  const { caller, scope, recordScope } = endpoint
  if (isOpen(endpoint))
    return [['Credential', caller === 'public' ? 'none: open to all' : 'none: the address is the credential']]
  return [
    ['Credential', caller === 'user' ? 'a user access token' : 'an API key or an access token'],
    ...(scope === null ? [] : [['Scope', scopeNeeded(endpoint)] as [string, string]]),
    ...(recordScope === undefined
      ? []
      : [['And', `\`${recordScope}\` for the object whose records it is about`] as [string, string]]),
    ...(inWorkspace(endpoint) ? [['Role', `${roleOf(endpoint)} or higher`] as [string, string]] : []),
  ]
}

/** What the server answered to the samples: its title, how it is written, and its text. */
export function answerOf({
  example: { answer },
}: Operation): { title: string; syntax: string; code: string } | undefined {
  if (answer === undefined) return undefined
  const { status, syntax, body } = answer
  return { title: `Answer ${status}`, syntax, code: typeof body === 'string' ? body.trimEnd() : literal(body, json) }
}
