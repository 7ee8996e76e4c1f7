import { isList, isNameIn, isRecord, isString } from '../../lib/guards.ts'

/** A JSON Schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>

/** The schemas that a schema names by `$ref`, by their names. */
type Definitions = Readonly<Record<string, unknown>>

const prefix = '#/$defs/'

const definitionsOf = ({ $defs }: Schema): Definitions => (isRecord($defs) ? $defs : {})

function resolved(schema: Schema, definitions: Definitions): Schema {
  const ref = schema['$ref']
  const found = isString(ref) && ref.startsWith(prefix) ? definitions[ref.slice(prefix.length)] : undefined
  return isRecord(found) ? found : schema
}

function alternatives(schema: Schema, definitions: Definitions): readonly Schema[] {
  const one = resolved(schema, definitions)
  const several = one['anyOf'] ?? one['oneOf']
  return isList(several) ? several.filter(isRecord).flatMap((part) => alternatives(part, definitions)) : [one]
}

/** Returns what a schema says of a member: its schemas, `any` where it says nothing, undefined where it forbids it. */
function member(schema: Schema, name: string, definitions: Definitions): readonly Schema[] | undefined {
  const found: Schema[] = []
  for (const one of alternatives(schema, definitions)) {
    const { properties, additionalProperties, items } = one
    const own = isRecord(properties) && isNameIn(properties, name) ? properties[name] : undefined
    if (isRecord(own)) found.push(own)
    else if (isRecord(items) && /^\d+$/.test(name)) found.push(items)
    else if (isRecord(additionalProperties)) found.push(additionalProperties)
    else if (isOpen(one, additionalProperties)) found.push({})
  }
  return found.length > 0 ? found : undefined
}

/** A schema that says nothing of a value, or nothing of the members of an object, allows any. */
const isOpen = ({ type, properties }: Schema, additional: unknown): boolean =>
  type === undefined
    ? true
    : [type].flat().includes('object') && additional !== false && (additional === true || properties === undefined)

/** The schemas of a value below a schema, by its path; undefined if there can be none. */
export function schemasAt(schema: Schema, path: readonly string[]): readonly Schema[] | undefined {
  const definitions = definitionsOf(schema)
  let found: readonly Schema[] = [schema]
  for (const name of path) {
    const below = found.flatMap((one) => member(one, name, definitions) ?? [])
    if (below.length === 0) return undefined
    found = below
  }
  return found.flatMap((one) => alternatives(one, definitions))
}

/** The JSON types that a place accepts, null among them; undefined if it accepts any. */
export function acceptedAt(schema: Schema, path: readonly string[]): ReadonlySet<string> | undefined {
  const found = schemasAt(schema, path)
  const types = found && typesOf(found)
  return types && found.some(({ type, const: only }) => [type].flat().includes('null') || only === null)
    ? new Set([...types, 'null'])
    : types
}

/** The JSON types that schemas allow, null aside; undefined if they allow any. */
export function typesOf(schemas: readonly Schema[]): ReadonlySet<string> | undefined {
  const types = new Set<string>()
  for (const { type, const: constant, enum: values } of schemas) {
    const named = isList(type) ? type : [type ?? (isString(constant) || isList(values) ? 'string' : undefined)]
    if (!named.every(isString)) return undefined
    for (const name of named) if (name !== 'null') types.add(name === 'integer' ? 'number' : name)
  }
  return types.size > 0 ? types : undefined
}
