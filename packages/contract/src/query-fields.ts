import type { z } from 'zod'

export type ScalarKind = 'string' | 'number' | 'boolean'

type Common = {
  /** The name as it stands, unencoded, in a URL: `page[offset]`. */
  readonly name: string
  /** Where the value goes in the parsed query: `['page', 'offset']`. */
  readonly path: readonly string[]
  readonly schema: z.ZodType
  readonly required: boolean
}

/** One parameter with one value. */
export type ScalarField = Common & { readonly kind: ScalarKind }
/** One parameter with several values: separated by commas, repeated, or repeated as `name[]`. */
export type ListField = Common & { readonly kind: 'list'; readonly item: ScalarKind }
/**
 * Parameters whose keys the schema leaves open: everything that begins with `name[`. With `isBare`, the keys are
 * operators of one value, which may also stand under the name itself. With `takesMany`, a parameter may be repeated, or
 * repeated as `name[]`.
 */
export type FreeField = Common & {
  readonly kind: 'free'
  readonly value: 'string' | 'list'
  readonly isBare?: true
  readonly takesMany?: true
}
/** Objects by position, `name[0][column]`; the names and paths of `fields` are relative to one of them. */
export type IndexedField = Common & {
  readonly kind: 'indexed'
  readonly fields: readonly LeafField[]
  readonly itemsMax: number
}

export type LeafField = ScalarField | ListField
export type QueryField = LeafField | FreeField | IndexedField

// Zod's own union of schema classes: narrows by `def.type`, where instanceof would fail across two copies of Zod.
type AnyDef = z.core.$ZodTypes['_zod']['def']

const defOf = (schema: z.core.$ZodType) => (schema as z.core.$ZodTypes)._zod.def

/** The schema below optional, default, prefault, nullable and the like. */
function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const def: AnyDef = defOf(schema)
  if ('innerType' in def) return unwrap(def.innerType)
  if (def.type === 'pipe') return unwrap(def.in)
  return schema
}

const isObject = (schema: z.core.$ZodType): schema is z.ZodObject => defOf(schema).type === 'object'
const isArrayOfObjects = (schema: z.core.$ZodType): schema is z.ZodArray<z.ZodObject> => {
  const def = defOf(schema)
  return def.type === 'array' && isObject(unwrap(def.element))
}

function scalarKind(schema: z.core.$ZodType, name: string): ScalarKind {
  const def = defOf(unwrap(schema))
  if (def.type === 'string' || def.type === 'enum' || def.type === 'template_literal') return 'string'
  if (def.type === 'number' || def.type === 'boolean') return def.type
  if (def.type === 'literal') {
    const kind = typeof def.values[0]
    if (kind === 'string' || kind === 'number' || kind === 'boolean') return kind
  }
  if (def.type === 'union') {
    const kinds = new Set(def.options.map((option) => scalarKind(option, name)))
    const [kind] = kinds
    // `1|"1"` cannot be told apart in a URL, so a schema that tries is a mistake in the contract.
    if (kind !== undefined && kinds.size === 1) return kind
  }
  throw new Error(`query parameter ${name}: a ${def.type} has no spelling in a URL`)
}

const nameOf = ([head, ...rest]: readonly string[]): string => `${head}${rest.map((key) => `[${key}]`).join('')}`

const acceptsNothing = (schema: z.ZodType): boolean => schema.safeParse(undefined).success

function acceptsList(schema: z.core.$ZodType): boolean {
  const def = defOf(unwrap(schema))
  return def.type === 'array' || (def.type === 'union' && def.options.some(acceptsList))
}

function leaf(common: Common): LeafField {
  const def = defOf(unwrap(common.schema))
  if (def.type !== 'array') return { ...common, kind: scalarKind(common.schema, common.name) }
  return { ...common, kind: 'list', item: scalarKind(def.element, common.name) }
}

function indexed(common: Common, array: z.ZodArray<z.ZodObject>): IndexedField {
  const fields = membersOf(unwrap(array.element) as z.ZodObject, [], true)
  if (!fields.every((field) => field.kind !== 'free' && field.kind !== 'indexed')) {
    throw new Error(`query parameter ${common.name}: only plain members fit behind an index`)
  }
  const itemsMax = Math.min(
    Infinity,
    ...(array._zod.def.checks ?? []).map((check) => (check as z.core.$ZodCheckMaxLength)._zod.def.maximum ?? Infinity),
  )
  return { ...common, kind: 'indexed', fields, itemsMax }
}

function fieldsAt(schema: z.ZodType, path: readonly string[], parentRequired: boolean): QueryField[] {
  const common: Common = { name: nameOf(path), path, schema, required: parentRequired && !acceptsNothing(schema) }
  const inner = unwrap(schema)
  if (isObject(inner)) return membersOf(inner, path, common.required)
  if (isArrayOfObjects(inner)) return [indexed(common, inner)]
  const def = defOf(inner)
  if (def.type === 'record') {
    if (defOf(unwrap(def.valueType)).type === 'array') return [{ ...common, kind: 'free', value: 'list' }]
    return [{ ...common, kind: 'free', value: 'string', ...(acceptsList(def.valueType) && { takesMany: true }) }]
  }
  if (def.type === 'union' && def.options.some((option) => defOf(unwrap(option)).type === 'record'))
    return [{ ...common, kind: 'free', value: 'string', isBare: true }]
  if (def.type === 'union' && def.options.some((option) => isObject(unwrap(option)))) {
    // Either spelling will do, so neither is required by itself.
    return def.options.flatMap((option) => fieldsAt(option as z.ZodType, path, false))
  }
  return [leaf(common)]
}

const membersOf = (object: z.ZodObject, path: readonly string[], required: boolean): QueryField[] =>
  Object.entries(object.shape).flatMap(([key, schema]) => fieldsAt(schema as z.ZodType, [...path, key], required))

/**
 * Returns the spelling of a query schema in a URL: nested objects with brackets, arrays of scalars as comma lists, a
 * union of an object and an array of that object both ways. Pure; the decoder and the OpenAPI document are both
 * compiled from it. Throws for a schema that has no spelling.
 */
export const queryFields = (query: z.ZodObject): QueryField[] => membersOf(query, [], true)
