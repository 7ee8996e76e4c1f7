/** The part of JSON Schema that Zod writes of the contract. */
export type JsonSchema = {
  readonly type?: string
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly items?: JsonSchema
  readonly minItems?: number
  readonly maxItems?: number
  readonly minimum?: number
  readonly maximum?: number
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly format?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly $ref?: string
  readonly $defs?: Readonly<Record<string, JsonSchema>>
}
