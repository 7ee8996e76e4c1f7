/** A part of an OpenAPI document, as it stands in JSON. */
export type Json = { readonly [key: string]: unknown }

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The member of an object that has to be one itself; no members where it is missing. */
export const objectAt = (value: Json, key: string): Json => (isObject(value[key]) ? value[key] : {})

export const schemaReference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` })

export const parameterReference = (name: string): Json => ({ $ref: `#/components/parameters/${name}` })

/** The component that a reference names: `RecordPage` of `#/components/schemas/RecordPage`. */
export const referencedName = (pointer: unknown): string => String(pointer).split('/').at(-1) ?? ''

export const mapValues = (object: Json, change: (value: unknown, key: string) => unknown): Json =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

/** Every reference in a part of a document. */
export function* pointersIn(value: unknown): Generator<string> {
  if (Array.isArray(value)) for (const one of value) yield* pointersIn(one)
  else if (isObject(value)) {
    if (typeof value['$ref'] === 'string') yield value['$ref']
    for (const one of Object.values(value)) yield* pointersIn(one)
  }
}
