import { isObject, mapValues, objectAt, parameterReference, referencedName, type Json } from './json.ts'
import type { Specialiser } from './specialise.ts'

/** One operation of the contract, specialised for one object. */
export type Specialised = {
  readonly specialiser: Specialiser
  /** Ends the operation's id. */
  readonly suffix: string
  readonly summary: string
  readonly tag: string
  /** Parameters by name, in the place of the contract's; null: it goes. */
  readonly parameters: Readonly<Record<string, Json | null>>
}

/** Parameters and responses that every object shares, collected as they are met. */
export type Shared = { readonly parameters: Record<string, unknown>; readonly responses: Record<string, unknown> }

const plain = (name: string): string => name.replaceAll(/\W+/g, '_').replaceAll(/^_|_$/g, '')

export function specialiseOperation(operation: Json, shared: Shared, to: Specialised): Json {
  const { operationId, summary, parameters = [], requestBody, responses, ...rest } = operation
  const own = (parameters as Json[]).flatMap((parameter) =>
    specialiseParameter(parameter, String(operationId), shared, to),
  )
  return {
    operationId: `${String(operationId)}_${to.suffix}`,
    ...rest,
    summary: `${String(summary)}: ${to.summary}`,
    tags: [to.tag],
    parameters: own,
    ...(isObject(requestBody) && {
      requestBody: { ...requestBody, content: specialiseContent(requestBody, to.specialiser) },
    }),
    responses: mapValues(responses as Json, (response, status) =>
      specialiseResponse(response as Json, status, String(operationId), shared, to.specialiser),
    ),
  }
}

function specialiseParameter(
  parameter: Json,
  operationId: string,
  shared: Shared,
  { parameters }: Specialised,
): Json[] {
  const name = '$ref' in parameter ? referencedName(parameter['$ref']) : String(parameter['name'])
  const substitute = parameters[name]
  if (substitute === null) return []
  if (substitute !== undefined) return [substitute]
  if ('$ref' in parameter) return [parameter]
  const shareable = `${operationId}_${plain(name)}`
  shared.parameters[shareable] = parameter
  return [parameterReference(shareable)]
}

const specialiseContent = (body: Json, specialiser: Specialiser): Json =>
  mapValues(objectAt(body, 'content'), (media) => ({ schema: specialiser.schema((media as Json)['schema']) }))

function specialiseResponse(
  response: Json,
  status: string,
  operationId: string,
  shared: Shared,
  specialiser: Specialiser,
): Json {
  if ('$ref' in response) return response
  if (status.startsWith('2'))
    return 'content' in response ? { ...response, content: specialiseContent(response, specialiser) } : response
  const shareable = `${operationId}_${status}`
  shared.responses[shareable] = response
  return { $ref: `#/components/responses/${shareable}` }
}
