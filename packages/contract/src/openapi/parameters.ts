import { z } from 'zod'
import { exampleIds, exampleKey, pathExample } from '../example-ids.ts'
import { isConditional, isMutation, isOpen, isStream, pathParameters, type Endpoint } from '../endpoint.ts'
import { idempotencyKeptHours, idempotencyKeyCharactersMax } from '../limits.ts'
import { positionHeader, positionPattern } from '../position.ts'
import { queryFields, type FreeField, type IndexedField, type LeafField } from '../query-fields.ts'

const pathTexts: Record<string, { description: string; example: string }> = {
  workspace: { description: 'Slug of the workspace.', example: 'acme' },
  object: { description: 'Name of the object.', example: 'person' },
  entity: { description: 'Name of the object.', example: 'c_committee' },
  field: { description: 'Name of the field.', example: 'introduced_by' },
  relationship: { description: 'Name of the relationship field.', example: 'deals' },
  list: { description: 'Identifier of the list.', example: exampleIds.list },
  grant: { description: 'Identifier of the grant.', example: exampleIds.grant },
  record: { description: 'Identifier of the record.', example: exampleIds.person },
  delivery: { description: 'Identifier of the delivery.', example: exampleIds.webhookDelivery },
  key: { description: 'The `Idempotency-Key` of a request.', example: exampleKey },
  workflow_id: {
    description: 'Identifier of the workflow, or what its address ends in where that has been replaced.',
    example: exampleIds.workflow,
  },
  agent_id: {
    description: 'Identifier of the agent, or what its address ends in where that has been replaced.',
    example: exampleIds.agent,
  },
  agentId: { description: 'Identifier of the agent.', example: exampleIds.agent },
  runId: { description: 'Identifier of the run.', example: exampleIds.agentRun },
  campaignId: { description: 'Identifier of the campaign.', example: exampleIds.campaign },
  meetingId: { description: 'Identifier of the meeting.', example: exampleIds.meeting },
  recordingId: { description: 'Identifier of the recording.', example: exampleIds.recording },
  attachmentId: { description: 'Identifier of the attachment.', example: exampleIds.attachment },
  version: { description: 'Number of the version.', example: '1' },
  number: { description: 'Number of the step, from 0.', example: '0' },
  id: { description: 'Identifier.', example: exampleIds.person },
}

function pathText(name: string): { description: string; example: string } {
  const text = pathTexts[name]
  if (text === undefined)
    throw new Error(`the path parameter ${name} has neither description nor example in openapi/parameters.ts`)
  return text
}

const headerTexts = {
  'Idempotency-Key': {
    description:
      'Any text that you choose. A request that is repeated with the same key within ' +
      `${idempotencyKeptHours} hours does not run again: it returns the first response.`,
    schema: { type: 'string' as const, minLength: 1, maxLength: idempotencyKeyCharactersMax },
    example: exampleKey,
  },
  'If-Match': {
    description:
      'The `ETag` of an earlier response. If the resource has changed since, nothing is written and the ' +
      'response is 412.',
    schema: { type: 'string' as const },
    example: '"3"',
  },
  'If-None-Match': {
    description: 'The `ETag` of an earlier response. If the document is unchanged, the response is 304 without a body.',
    schema: { type: 'string' as const },
    example: '"107250361542938"',
  },
  [positionHeader]: {
    description:
      'The same header of an earlier response to a change, so that this response shows it. Only needed where ' +
      'replicas of the database serve reads, and a change and a read go through different servers.',
    schema: { type: 'string' as const, pattern: positionPattern },
    example: '0000000016B374D8',
  },
  'Last-Event-ID': {
    description:
      'The last `id` that was received before the connection broke; `EventSource` sends it automatically. It ' +
      'overrides `after`.',
    schema: { type: 'string' as const, pattern: String.raw`^\d+$` },
    example: '42',
  },
}

const reference = (name: string) => ({ $ref: `#/components/parameters/${name}` })

const headersOfReads = (endpoint: Endpoint): (keyof typeof headerTexts)[] => [
  ...(endpoint.replica ? ([positionHeader] as const) : []),
  ...(isConditional(endpoint) ? (['If-None-Match'] as const) : []),
]

const headersOf = (endpoint: Endpoint): (keyof typeof headerTexts)[] => {
  if (isOpen(endpoint)) return []
  if (isStream(endpoint)) return ['Last-Event-ID']
  if (!isMutation(endpoint)) return headersOfReads(endpoint)
  // A creation has no earlier version to match.
  const versioned = endpoint.versioned && endpoint.method !== 'POST'
  return versioned ? ['Idempotency-Key', 'If-Match'] : ['Idempotency-Key']
}

/** Path and header parameters of all endpoints, to be referenced by name. */
export function sharedParameters(endpoints: readonly Endpoint[]) {
  const path = new Set(endpoints.flatMap((endpoint) => pathParameters(endpoint.path)))
  const headers = new Set(endpoints.flatMap(headersOf))
  return {
    ...Object.fromEntries(
      [...path].map((name) => [
        name,
        {
          name,
          in: 'path' as const,
          required: true,
          schema: { type: 'string' as const, minLength: 1 },
          ...pathText(name),
        },
      ]),
    ),
    ...Object.fromEntries(
      [...headers].map((name) => [name, { name, in: 'header' as const, required: false, ...headerTexts[name] }]),
    ),
  }
}

const leafParameter = ({ kind, required, schema }: LeafField): z.ZodType => {
  const spelled = required ? schema : schema.optional()
  return kind === 'list' ? spelled.meta({ param: { style: 'form', explode: false } }) : spelled
}

/** `{amount: {'Greater than': 5}}` under `filter` as it stands in a URL: `{'filter[amount][Greater than]': 5}`. */
const flatten = (name: string, value: unknown): [string, unknown][] =>
  typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => flatten(`${name}[${key}]`, inner))
    : [[name, value]]

/** With `style: form` and `explode: true` the members of an object are whole parameters: OpenAPI's free-form query. */
function freeParameter({ name, required, schema }: FreeField | IndexedField, description: string, example: unknown) {
  return {
    name,
    in: 'query' as const,
    required,
    style: 'form' as const,
    explode: true,
    description: [schema.description, description, 'Each member is one whole parameter, brackets included.']
      .filter(Boolean)
      .join(' '),
    schema: {
      type: 'object' as const,
      additionalProperties: { type: ['string' as const, 'number' as const, 'boolean' as const] },
    },
    ...(example !== undefined && { example: Object.fromEntries(flatten(name, example)) }),
  }
}

function openParameter(field: FreeField | IndexedField) {
  if (field.kind === 'free') return freeParameter(field, '', field.schema.meta()?.example)
  const members = field.fields.map((member) => `\`${field.name}[0][${member.name}]\``).join(', ')
  return freeParameter(field, `Several, by position: ${members}, and so on, up to ${field.itemsMax}.`, undefined)
}

/**
 * The query parameters of an endpoint, flat as they are sent: those that the generator makes from Zod, and ready ones.
 */
export function queryParameters(endpoint: Endpoint) {
  const fields = endpoint.query ? queryFields(endpoint.query) : []
  const leaves = fields.filter((field) => field.kind !== 'free' && field.kind !== 'indexed')
  const open = fields.filter((field) => field.kind === 'free' || field.kind === 'indexed')
  return {
    query:
      leaves.length > 0
        ? z.object(Object.fromEntries(leaves.map((field) => [field.name, leafParameter(field)])))
        : undefined,
    open: open.map(openParameter),
  }
}

/** A reference to the parameter of this name, or one of its own where its example is another. */
function pathReference(path: string, name: string) {
  const example = pathExample(path, name)
  return example === undefined
    ? reference(name)
    : {
        name,
        in: 'path' as const,
        required: true,
        schema: { type: 'string' as const, minLength: 1 },
        ...pathText(name),
        example,
      }
}

/** References to the path and header parameters of an endpoint. */
export const parameterReferences = (endpoint: Endpoint) => ({
  path: pathParameters(endpoint.path).map((name) => pathReference(endpoint.path, name)),
  headers: headersOf(endpoint).map(reference),
})
