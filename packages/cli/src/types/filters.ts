import { operators, typeName, type Operator } from '@kontor/contract'
import { isName, literal, referenced, typeScript, type Schema } from './print.ts'

type Schemas = Readonly<Record<string, Schema>>

/** A relationship of an object: its name, and the object at its other end. */
export type Relation = { readonly name: string; readonly target: string }

/** The types from which all filters are built. */
export const conditionType = `type FilterValue = string | number | boolean | null
type Exact = 'Is' | 'Is not' | 'One of' | 'Not one of' | 'eq' | 'ne' | 'in' | 'nin'
/** A value with one of the operators of a column, by its name or its short form; a value alone means \`Is\`. */
export type Condition<Operator extends string, Value extends FilterValue = FilterValue> =
  | Value
  | null
  | { [O in Operator]?: O extends Exact ? Value | null | (Value | null)[] : FilterValue | FilterValue[] }
/** Conditions on the records that a relationship leads to. */
type Along<Relationship extends string, Conditions> = {
  [Column in keyof Conditions & string as \`\${Relationship}.\${Column}\`]?: Conditions[Column]
}
`

/** \`filter[amount][Is]\`: a column, and one of its operators. */
const conditionOf = /^filter\[(.+)\]\[(.+)\]$/

const aliasesOf = (operator: string): readonly string[] =>
  Object.hasOwn(operators, operator) ? operators[operator as Operator] : []

/** Returns the type of the values that a column is compared with; undefined where several forms are accepted. */
function valueType(schema: Schema | undefined, schemas: Schemas): string | undefined {
  if (schema === undefined) return undefined
  if (schema.$ref !== undefined) return valueType(schemas[referenced(schema.$ref)], schemas)
  if (schema.enum !== undefined) return typeScript({ enum: schema.enum.filter((value) => value !== null) })
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) {
    const types = alternatives.filter(({ type }) => type !== 'null').map((one) => valueType(one, schemas))
    return types.includes(undefined) ? undefined : [...new Set(types)].join(' | ')
  }
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  if (types.length !== 1) return undefined
  if (types[0] === 'array') return valueType(schema.items, schemas)
  if (types[0] === 'object') return valueType(schema.properties?.['items'], schemas)
  return types[0] === 'integer' ? 'number' : types[0]
}

/** The conditions on the columns of an object, by the operators and values that each accepts. */
function conditions(type: string, schemas: Schemas): string {
  const attributes = schemas[`${type}Attributes`]?.properties ?? {}
  const all = Object.keys(schemas[`${type}Filter`]?.properties ?? {}).flatMap((key) => {
    const [, column = '', operator = ''] = conditionOf.exec(key) ?? []
    return column === '' ? [] : [{ column, operator }]
  })
  const lines = [...Map.groupBy(all, ({ column }) => column)].map(([column, some]) => {
    const names = new Set(some.flatMap(({ operator }) => [operator, ...aliasesOf(operator)]))
    const value = valueType(attributes[column], schemas)
    const words = [...names].map(literal).join(' | ')
    const key = isName.test(column) ? column : literal(column)
    return `  ${key}?: Condition<${words}${value === undefined ? '' : `, ${value}`}>\n`
  })
  return `export interface ${type}Conditions {\n${lines.join('')}}\n`
}

/**
 * The filter of an object: conditions on its columns and on those of related records. Paths along three relationships
 * are not checked: there are too many to name.
 */
export function filterOf(object: string, relations: readonly Relation[], schemas: Schemas): string {
  const type = typeName(object)
  const along = (part: 'Conditions' | 'Step') =>
    relations.map(({ name, target }) => `Along<${literal(name)}, ${typeName(target)}${part}>`)
  const step = relations.length === 0 ? 'object' : along('Conditions').join(' &\n  ')
  const paths = '{ [path: `${string}.${string}.${string}.${string}`]: unknown }'
  const whole = [`${type}Conditions`, `${type}Step`, ...along('Step'), paths].join(' &\n  ')
  return `${conditions(type, schemas)}type ${type}Step = ${step}\nexport type ${type}Filter = ${whole}\n`
}
