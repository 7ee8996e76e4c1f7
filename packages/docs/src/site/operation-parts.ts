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

const rate = (calls: number): string => `${calls.toLocaleString('en')} calls a minute`

/** The rate limit of an operation that has not the usual one, of which the guide on limits tells. */
function rateLimitOf(endpoint: Endpoint): string | undefined {
  if (endpoint.caller === 'public') return 'none'
  if (endpoint.caller === 'address') return `${rate(arrivalsPerMinute)} to each address, without headers`
  return inWorkspace(endpoint) ? undefined : `${rate(callsPerMinute)} by one caller`
}

/** The requirements of an operation, as pairs of a name and a value. */
export function factsOf(operation: Operation): [string, string][] {
  const rateLimit = rateLimitOf(operation.endpoint)
  return [...needsOf(operation), ...(rateLimit === undefined ? [] : [['Rate limit', rateLimit] as [string, string]])]
}

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
