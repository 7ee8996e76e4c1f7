/** The keywords of JSON Schema that the document uses. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly description?: string
  readonly default?: unknown
  readonly example?: unknown
  readonly format?: string
  readonly pattern?: string
  readonly minimum?: number
  readonly exclusiveMinimum?: number
  readonly maximum?: number
  readonly minLength?: number
  readonly maxLength?: number
  readonly minItems?: number
  readonly maxItems?: number
}

export type Parameter = {
  readonly $ref?: string
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly description?: string
  readonly schema: Schema
  readonly example?: unknown
}

type Media = { readonly schema: Schema; readonly example?: unknown }

export type Response = {
  readonly $ref?: string
  readonly description: string
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>
  readonly content?: Readonly<Record<string, Media>>
}

export type DocumentedOperation = {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly required?: boolean; readonly content: { readonly 'application/json': Media } }
  readonly responses: Readonly<Record<string, Response>>
  readonly 'x-kontor-scope'?: string
  readonly 'x-kontor-role'?: string
}

export type OpenApi = {
  readonly info: { readonly description: string; readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, DocumentedOperation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly responses: Readonly<Record<string, Response>>
    readonly headers: Readonly<Record<string, { readonly description: string }>>
  }
}

type Components = OpenApi['components']

/** The name of what is referred to; empty where nothing is. */
export const nameOf = ({ $ref = '' }: { readonly $ref?: string }): string => $ref.slice($ref.lastIndexOf('/') + 1)

function component<T>(components: Readonly<Record<string, T>>, reference: { readonly $ref?: string }): T {
  const found = components[nameOf(reference)]
  if (found === undefined) throw new Error(`the document has no ${reference.$ref}`)
  return found
}

/** The schema itself, where it is named. */
export function schemaIn({ schemas }: Components, schema: Schema): Schema {
  const { $ref: reference, ...others } = schema
  return reference === undefined ? schema : { ...component(schemas, schema), ...others }
}

/** The parameter itself, where it is named. */
export const parameterIn = ({ parameters }: Components, parameter: Parameter): Parameter =>
  parameter.$ref === undefined ? parameter : component(parameters, parameter)

/** The response itself, where it is named. */
export const responseIn = ({ responses }: Components, response: Response): Response =>
  response.$ref === undefined ? response : component(responses, response)
