import {
  contract,
  errorCodesOf,
  errorDefinitions,
  type Contract,
  type Endpoint,
  type ErrorCode,
  type EventType,
} from '@kontor/contract'
import { farewellOf, operationId, tagOf } from '@kontor/contract/openapi'
import { document, parameterOf, responseOf } from './document.ts'
import type { DocumentedOperation, Parameter, Response, Schema } from '../openapi.ts'

type Answer = { readonly status: string; readonly syntax: 'json' | 'plaintext'; readonly body: unknown }

type Example = {
  /** Values of the path by name. */
  readonly path: Readonly<Record<string, string>>
  readonly body: unknown
  /** The response of the server; none where there is nothing to show. */
  readonly answer?: Answer | undefined
}

/** One operation as its page shows it. */
export type Operation = {
  readonly domain: string
  readonly key: string
  readonly id: string
  readonly endpoint: Endpoint
  readonly summary: string
  readonly description: string
  readonly parameters: readonly Parameter[]
  readonly body?: { readonly schema: Schema; readonly required: boolean } | undefined
  readonly successes: readonly (Response & { readonly status: string })[]
  readonly errors: readonly ErrorCode[]
  readonly events: readonly EventType[]
  /** A key opens it; where it does not, a user access token is needed. */
  readonly takesKey: boolean
  readonly example: Example
}

export type DomainOfOperations = {
  readonly name: string
  readonly title: string
  readonly group: string
  readonly description: string
  readonly operations: readonly Operation[]
}

const documented = new Map(
  Object.values(document.paths)
    .flatMap((item) => Object.values(item))
    .map((operation) => [operation.operationId, operation]),
)

/** The success that has an example: the one that the server answered with. */
function answerIn(responses: DocumentedOperation['responses']): Answer | undefined {
  return Object.entries(responses)
    .flatMap(([status, { content = {} }]) =>
      Number(status) < 300
        ? Object.entries(content).map(([type, { example: body }]) => ({
            status,
            syntax: type === 'application/json' ? ('json' as const) : ('plaintext' as const),
            body,
          }))
        : [],
    )
    .find(({ body }) => body !== undefined)
}

function operationOf(domain: string, key: string, endpoint: Endpoint): Operation {
  const found = documented.get(operationId(domain, key))
  if (found === undefined) throw new Error(`${domain}.${key} is not in the document`)
  const parameters = (found.parameters ?? []).map(parameterOf)
  const body = found.requestBody?.content['application/json']
  return {
    domain,
    key,
    id: `${domain}.${key}`,
    endpoint,
    summary: endpoint.summary,
    description: [farewellOf(endpoint), endpoint.description].filter(Boolean).join('\n\n'),
    parameters,
    body: body && { schema: body.schema, required: found.requestBody?.required === true },
    successes: Object.entries(found.responses)
      .filter(([status]) => Number(status) < 300)
      .map(([status, response]) => ({ status, ...responseOf(response) })),
    errors: errorCodesOf(endpoint).toSorted((a, b) => errorDefinitions[a].status - errorDefinitions[b].status),
    events: endpoint.emits ?? [],
    takesKey: endpoint.caller === 'any',
    example: {
      path: Object.fromEntries(
        parameters.filter((one) => one.in === 'path').map((one) => [one.name, String(one.example)]),
      ),
      body: body?.example,
      answer: answerIn(found.responses),
    },
  }
}

/** Groups of operations, the ones that most readers need first. */
const groups = ['Data', 'Automation', 'Workspace']
const rank = (name: string): number => groups.indexOf(tagOf(name).group)

/** The operations of the API by domain, in the order of the groups. */
export const domains: readonly DomainOfOperations[] = Object.entries(contract as Contract)
  .toSorted(([a], [b]) => rank(a) - rank(b))
  .map(([name, endpoints]) => ({
    name,
    ...tagOf(name),
    operations: Object.entries(endpoints).map(([key, endpoint]) => operationOf(name, key, endpoint)),
  }))

export const operations: readonly Operation[] = domains.flatMap((domain) => domain.operations)
