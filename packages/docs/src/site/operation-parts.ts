import { arrivalsPerMinute, callsPerMinute, inWorkspace, isOpen, roleOf, type Endpoint } from '@kontor/contract'
import { scopeNeeded } from '@kontor/contract/openapi'
import type { Parameter } from '../openapi.ts'
import { bodyOf, formsOf } from './body.ts'
import { fieldOf, type Field } from './fields.ts'
import { json, literal } from './literal.ts'
import type { Operation } from './operations.ts'

/** A parameter as a field; its description covers its members. */
export const parameterField = ({ name, required, description = '', schema, example }: Parameter): Field => {
  const field = fieldOf(schema, { name, required })
  const isScalar = ['string', 'number'].includes(typeof example)
  return {
    ...field,
    description: description === '' ? field.description : description,
    facts: [
      ...field.facts.filter((fact) => !fact.startsWith('for example')),
      ...(isScalar ? [`for example \`${String(example)}\``] : []),
    ],
    fields: [],
  }
}

/** The fields of a body, and the sentences on its forms. */
export function bodyParts({ schema, required }: NonNullable<Operation['body']>): {
  readonly fields: readonly Field[]
  readonly forms: string
} {
  const body = bodyOf(schema)
  const forms = [formsOf(body), required ? '' : 'The body may be omitted.'].filter((part) => part !== '').join(' ')
  return { fields: body.fields, forms }
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

type Success = Operation['successes'][number]

const schemaName = ({ content }: Success): string | undefined => content?.['application/json']?.schema.$ref

/** Returns each success, that of a creation first, and whether its body equals the one before and is not repeated. */
export const responsesOf = ({ successes }: Operation): { readonly success: Success; readonly isRepeated: boolean }[] =>
  successes
    .toSorted((a, b) => Number(b.status) - Number(a.status))
    .map((success, index, all) => {
      const before = all[index - 1]
      const name = schemaName(success)
      const isRepeated = name !== undefined && before !== undefined && schemaName(before) === name
      return { success, isRepeated }
    })

/** Returns the recorded response to the samples: its title, syntax and text. */
export function answerOf({
  example: { answer },
}: Operation): { title: string; syntax: string; code: string } | undefined {
  if (answer === undefined) return undefined
  const { status, syntax, body } = answer
  return { title: `Response ${status}`, syntax, code: typeof body === 'string' ? body.trimEnd() : literal(body, json) }
}
