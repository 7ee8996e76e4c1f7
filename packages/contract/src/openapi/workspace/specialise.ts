import { isObject, mapValues, pointersIn, referencedName, schemaReference, type Json } from './json.ts'

/** Replacements of schemas, by the name of the component or of the property; null removes the property. */
type Substitutes = Readonly<Record<string, Json | null>>

export type Specialisation = {
  /** The object as a type; the components that become its own are called `RecordPageOfPerson`. */
  readonly object: string
  readonly components: Substitutes
  readonly properties: Substitutes
}

/**
 * Makes schemas of the contract those of one object: a component in which something is put in the place of something
 * else,
 * however deep, becomes a component of the object's own; every other one stays shared. Examples go: they show other
 * objects.
 */
export class Specialiser {
  readonly #contract: Json
  readonly #made: Record<string, unknown>
  readonly #changes = new Map<string, boolean>()
  readonly #to: Specialisation

  /** `made` collects the components. */
  constructor(contract: Json, made: Record<string, unknown>, to: Specialisation) {
    this.#contract = contract
    this.#made = made
    this.#to = to
  }

  /** A schema with everything in its place; null where it is left out. */
  schema(schema: unknown): unknown {
    if (Array.isArray(schema)) return schema.map((one) => this.schema(one))
    if (!isObject(schema)) return schema
    if ('$ref' in schema) return this.#reference(referencedName(schema['$ref']), schema)
    const properties = isObject(schema['properties']) ? this.#properties(schema['properties']) : undefined
    const { example: _example, properties: _properties, required, ...rest } = schema
    return {
      ...mapValues(rest, (value) => this.schema(value)),
      ...(properties && { properties }),
      ...(Array.isArray(required) && {
        required: properties === undefined ? required : (required as string[]).filter((name) => name in properties),
      }),
    }
  }

  #properties(properties: Json): Json {
    const kept = Object.entries(properties).map(
      ([name, schema]) =>
        [name, name in this.#to.properties ? this.#to.properties[name] : this.schema(schema)] as const,
    )
    return Object.fromEntries(kept.filter(([, schema]) => schema !== null))
  }

  #reference(name: string, reference: Json): Json | null {
    const substitute = this.#to.components[name]
    if (substitute !== undefined) return substitute
    if (!this.#isChanged(name)) return reference
    const own = `${name}Of${this.#to.object}`
    if (!(own in this.#made)) {
      // In place before it is made: components may lead back to themselves.
      this.#made[own] = {}
      this.#made[own] = this.schema(this.#contract[name])
    }
    return schemaReference(own)
  }

  #isChanged(name: string): boolean {
    const known = this.#changes.get(name) ?? reachedFrom(this.#contract, name).some((one) => one in this.#to.components)
    this.#changes.set(name, known)
    return known
  }
}

/** The components that a component refers to, directly or through others. */
function reachedFrom(components: Json, name: string): string[] {
  const found = new Set<string>([name])
  for (const one of found) for (const pointer of pointersIn(components[one])) found.add(referencedName(pointer))
  return [...found]
}
