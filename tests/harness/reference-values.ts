import type { Json } from './http.ts'

/**
 * Returns the fault of a value under the schema of its field, judged without the server's own code; only for what the
 * evolutions here make use of.
 */
export function valueFault(schema: Json, value: Json): string | undefined {
  if (value === null || value === undefined) return undefined
  const kind = kindOf(schema)
  const options: string[] = schema.enum ?? []
  const rules: Readonly<Record<string, () => boolean>> = {
    text: () => typeof value === 'string' && value.length <= (schema.maxLength ?? Infinity),
    number: () =>
      typeof value === 'number' && value >= (schema.minimum ?? -Infinity) && value <= (schema.maximum ?? Infinity),
    select: () => options.includes(value),
    multi_select: () => Array.isArray(value.items) && value.items.every((item: string) => options.includes(item)),
    labels: () => Array.isArray(value.items) && value.items.length <= (schema.maxItems ?? Infinity),
    checkbox: () => typeof value === 'boolean',
    reference: () => typeof value === 'string' && /^[0-9a-f-]{36}$/.test(value),
  }
  return rules[kind]?.() === true ? undefined : `${JSON.stringify(value)} is no ${kind} under ${JSON.stringify(schema)}`
}

export const kindOf = (schema: Json): string => (schema.xSvcRelationship === undefined ? schema.xSvcType : 'reference')

export const isToMany = ({ xSvcRelationship: to }: Json): boolean =>
  to?.kind === 'one-to-many' || to?.kind === 'many-to-many'

/** Returns whether a value is something: no text and no item is nothing. */
export const isThere = (value: Json): boolean =>
  value !== null && value !== undefined && value !== '' && value.items?.length !== 0

/** Returns the values that a value claims where it is unique. */
export const claimsOf = (value: Json): string[] =>
  typeof value === 'string'
    ? [value.toLowerCase()]
    : typeof value === 'number'
      ? [String(value)]
      : (value?.items ?? []).map((item: string) => item.toLowerCase())
