import type { FieldTypeName } from '../field-schema.ts'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { fieldOf, uniqueFields, writable } from './fields.ts'

/** Headers that people give to fields of a type, beside the names and titles of the fields themselves. */
const headersOf: Partial<Record<FieldTypeName, readonly string[]>> = {
  email_addresses: ['email', 'mail', 'email address', 'work email', 'personal email'],
  phone_numbers: ['phone', 'phone number', 'telephone', 'tel', 'mobile', 'mobile phone', 'cell', 'work phone'],
  domains: ['domain', 'website', 'homepage', 'web site'],
}

/** Headers of the parts of a name and of a location. */
const partsOf: Partial<Record<FieldTypeName, Readonly<Record<string, readonly string[]>>>> = {
  person_name: {
    first_name: ['first name', 'first', 'given name', 'forename'],
    last_name: ['last name', 'last', 'family name', 'surname'],
    full_name: ['full name'],
  },
  location: {
    street: ['street', 'street address'],
    city: ['city', 'town'],
    postal_code: ['postal code', 'post code', 'zip', 'zip code'],
    country: ['country'],
  },
}

/** Types of fields that several columns may fill. */
const several: ReadonlySet<FieldTypeName | undefined> = new Set(['email_addresses', 'phone_numbers', 'domains'])

/** A mapping that the headers of a file suggest. */
export type Proposal = {
  /** Columns, and the field (and part of it) that each fills. */
  readonly maps: readonly { readonly source: string; readonly field: string }[]
  /** A unique field among the targets. */
  readonly matchOn: string | undefined
  readonly unmapped: readonly string[]
}

const plain = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')

const looks: readonly (readonly [FieldTypeName, RegExp])[] = [
  ['email_addresses', /^[^\s@;,]+@[^\s@;,]+\.[^\s@;,]+$/],
  ['phone_numbers', /^\+\d[\d ()./-]{6,24}$/],
  ['domains', /^(?:https?:\/\/)?(?:[a-z0-9-]+\.)+[a-z]{2,24}\/?$/i],
]

/** The field that texts look like, where each of them does. */
function fieldLike(texts: readonly string[], schema: ObjectSchemaDocument): string | undefined {
  const filled = texts.map((text) => text.trim()).filter((text) => text !== '')
  if (filled.length === 0) return undefined
  const [type] = looks.find(([, look]) => filled.every((text) => look.test(text))) ?? []
  return type && writable(schema).find((name) => fieldOf(schema, name)?.xSvcType === type)
}

/**
 * Proposes which columns fill which fields, by the headers, and by the first texts of columns whose header fits none.
 * Nothing is guessed for others.
 */
export function proposeMapping(
  header: readonly string[],
  schema: ObjectSchemaDocument,
  textsOf: (column: number) => readonly string[] = () => [],
): Proposal {
  const targets = targetsOf(schema)
  const taken = new Set<string>()
  const maps: { source: string; field: string }[] = []
  const unmapped: string[] = []
  for (const [index, column] of header.entries()) {
    const target = targets.get(plain(column)) ?? (column === '' ? undefined : fieldLike(textsOf(index), schema))
    if (target === undefined || (taken.has(target) && !several.has(fieldOf(schema, target)?.xSvcType))) {
      if (column !== '') unmapped.push(column)
      continue
    }
    taken.add(target)
    maps.push({ source: column, field: target })
  }
  return { maps, matchOn: uniqueFields(schema).find((name) => taken.has(name)), unmapped }
}

/** Lists the targets by the headers that suggest them; names and titles of fields come before other words. */
function targetsOf(schema: ObjectSchemaDocument): ReadonlyMap<string, string> {
  const targets = new Map<string, string>()
  const add = (header: string, target: string): void => {
    if (!targets.has(plain(header))) targets.set(plain(header), target)
  }
  const fields = writable(schema).map((name) => [name, fieldOf(schema, name) ?? {}] as const)
  for (const [name, { title, xSvcRelationship }] of fields) {
    add(name, name)
    // The name of a linked record is not its id.
    if (title !== undefined && xSvcRelationship === undefined) add(title, name)
  }
  for (const [name, { xSvcType }] of fields) {
    if (xSvcType === undefined) continue
    for (const header of headersOf[xSvcType] ?? []) add(header, name)
    for (const [part, headers] of Object.entries(partsOf[xSvcType] ?? {}))
      for (const header of headers) add(header, `${name}.${part}`)
  }
  return targets
}
