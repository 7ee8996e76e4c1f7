import { OpenApiGeneratorV31, OpenAPIRegistry, type RouteConfig } from '@asteasolutions/zod-to-openapi'
import { inWorkspace, roleOf, type Contract, type Endpoint } from './endpoint.ts'
import { guideFor } from './openapi/guide.ts'
import { namedSchemas } from './openapi/named-schemas.ts'
import { parameterReferences, queryParameters, sharedParameters } from './openapi/parameters.ts'
import { errorExamples, errorResponses, headers, sharedResponses, successResponses } from './openapi/responses.ts'
import { securityOf, securitySchemes } from './openapi/security.ts'
import { tagOf } from './openapi/tags.ts'
import { tidy } from './openapi/tidy.ts'
import { version } from './version.ts'
import { webhookHeaders, webhookRoutes } from './openapi/webhooks.ts'

export { errorGuide } from './openapi/guide.ts'
export { tagOf } from './openapi/tags.ts'
export { namedSchemas } from './openapi/named-schemas.ts'
export { toWorkspaceOpenApi } from './openapi/workspace.ts'

/** `serverUrl` ends with `/v1`; `authUrl` is the origin of the sign-in pages. */
export type OpenApiOptions = { readonly serverUrl: string; readonly authUrl: string }

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>

/** The operation's id in the document and in generated clients: `records_createMany`. */
export const operationId = (domain: string, key: string): string => `${domain}_${key}`

/** The scope of an operation, and the one of keys that opens it for one webhook. */
export const scopeNeeded = ({ scope, deliveryScope }: Endpoint): string =>
  deliveryScope === undefined ? `\`${scope}\`` : `\`${scope}\` (or a key with \`${deliveryScope}:{id}\`)`

const neededBy = (endpoint: Endpoint): string => {
  const needs = [
    ...(endpoint.caller === 'user' ? ['a user access token'] : []),
    ...(endpoint.scope === null ? [] : [`the scope ${scopeNeeded(endpoint)}`]),
    ...(endpoint.recordScope === undefined
      ? []
      : [`\`${endpoint.recordScope}\` for the object whose records it is about`]),
    ...(inWorkspace(endpoint) ? [`the role ${roleOf(endpoint)}`] : []),
  ]
  return needs.length === 0 ? '' : `Needs ${new Intl.ListFormat('en').format(needs)}.`
}

/** Returns the notice of a deprecated operation. */
export function farewellOf({ deprecated }: Endpoint): string {
  if (deprecated === undefined) return ''
  const { since, ends, instead } = deprecated
  const until = ends === undefined ? '' : `, ends on ${ends}`
  return `Deprecated since ${since}${until}: use \`${instead}\` instead.`
}

/** Any fields, as texts. */
const formSchema = { type: 'object' as const, additionalProperties: true }

function route(domain: string, key: string, endpoint: Endpoint): RouteConfig {
  const references = parameterReferences(endpoint)
  const { query, open } = queryParameters(endpoint)
  const parameters = [...references.path, ...references.headers, ...open]
  const example = endpoint.examples?.body
  const body = endpoint.body && {
    required: !endpoint.body.safeParse(undefined).success,
    content: {
      'application/json': { schema: endpoint.body, ...(example !== undefined && { example }) },
      ...(endpoint.takesForms && { 'application/x-www-form-urlencoded': { schema: formSchema } }),
    },
  }
  return {
    method: endpoint.method.toLowerCase() as Lowercase<Endpoint['method']>,
    path: endpoint.path,
    operationId: operationId(domain, key),
    summary: endpoint.summary,
    ...(endpoint.deprecated !== undefined && { deprecated: true }),
    description: [farewellOf(endpoint), endpoint.description, neededBy(endpoint)].filter(Boolean).join('\n\n'),
    tags: [tagOf(domain).title],
    security: securityOf(endpoint),
    ...(parameters.length > 0 && { parameters }),
    request: { ...(query && { query }), ...(body && { body }) },
    responses: { ...successResponses(operationId(domain, key), endpoint), ...errorResponses(endpoint) },
    'x-stability': endpoint.deprecated === undefined ? 'stable' : 'deprecated',
    ...(endpoint.scope !== null && { 'x-kontor-scope': endpoint.scope }),
    ...(endpoint.deliveryScope !== undefined && { 'x-kontor-delivery-scope': `${endpoint.deliveryScope}:{id}` }),
    ...(endpoint.recordScope !== undefined && { 'x-kontor-record-scope': endpoint.recordScope }),
    ...(inWorkspace(endpoint) && { 'x-kontor-role': roleOf(endpoint) }),
  }
}

type ComponentKind = Parameters<OpenAPIRegistry['registerComponent']>[0]

function registryOf(contract: Contract, authUrl: string): OpenAPIRegistry {
  const registry = new OpenAPIRegistry()
  const endpoints = Object.values(contract).flatMap((domain) => Object.values(domain))
  const add = (kind: ComponentKind, byName: Record<string, object>) =>
    Object.entries(byName).forEach(([name, component]) => registry.registerComponent(kind, name, component))
  add('securitySchemes', securitySchemes(authUrl))
  add('parameters', sharedParameters(endpoints))
  add('headers', headers)
  add('examples', errorExamples(endpoints))
  add('responses', sharedResponses(endpoints))
  for (const [domain, byKey] of Object.entries(contract)) {
    for (const [key, endpoint] of Object.entries(byKey)) registry.registerPath(route(domain, key, endpoint))
  }
  if ('webhooks' in contract) {
    add('parameters', webhookHeaders)
    for (const webhook of webhookRoutes()) registry.registerWebhook(webhook)
  }
  return registry
}

function tagGroups(contract: Contract) {
  const groups = Map.groupBy(Object.keys(contract).map(tagOf), (tag) => tag.group)
  return [...groups].map(([name, members]) => ({ name, tags: members.map((tag) => tag.title) }))
}

/** The OpenAPI 3.1 document of a contract: named components first met by name, flat query parameters, every error. */
export function toOpenApi(contract: Contract, { serverUrl, authUrl }: OpenApiOptions): OpenApiDocument {
  const registry = registryOf(contract, authUrl)
  // Named schemas go first: the generator describes a component as it first meets it, `.nullable()` and all. They are
  // wrapped because it takes a bare schema for a definition: both have a `type`.
  const named = [...namedSchemas(contract).values()].map((schema) => ({ type: 'schema' as const, schema }))
  const generator = new OpenApiGeneratorV31([...named, ...registry.definitions])
  const document = generator.generateDocument({
    openapi: '3.1.0',
    info: { title: 'Kontor', version, description: guideFor(serverUrl), license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: serverUrl, description: 'This server.' }],
    tags: Object.keys(contract)
      .map(tagOf)
      .map(({ title, description }) => ({ name: title, description })),
    'x-tagGroups': tagGroups(contract),
  })
  tidy(document)
  return document
}
