/** The part of JSON Schema that Kontor describes objects with. */
export type Schema = {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | Schema
  readonly description?: string
  readonly deprecated?: boolean
}

/** The component that a reference names. */
export const referenced = (pointer: string): string => pointer.split('/').at(-1) ?? ''

/** A text of others as a comment: nothing in it ends the comment or begins a line of code. */
export function comment({ description, deprecated }: Schema, indent = ''): string {
  const text = [description ?? '', ...(deprecated === true ? ['@deprecated'] : [])].join('\n').trim()
  if (text === '') return ''
  const lines = text
    .replaceAll('*/', '*\\/')
    .split(/[\r\n\u2028\u2029]+/)
    .map((line) => line.trim())
  return lines.length === 1
    ? `${indent}/** ${lines[0]} */\n`
    : `${indent}/**\n${lines.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`
}

/** A text as a literal; JSON is one, but for the quotes that this code is written with. */
export const literal = (value: unknown): string =>
  typeof value === 'string' ? `'${quoted(value)}'` : JSON.stringify(value)

const quoted = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')

const union = (types: readonly string[]): string => [...new Set(types)].join(' | ')

/** The TypeScript type of a schema; `indent` is that of the line on which it stands. */
export function typeScript(schema: Schema, indent = ''): string {
  if (schema.$ref !== undefined) return referenced(schema.$ref)
  if (schema.enum !== undefined) return union(schema.enum.map(literal))
  const alternatives = schema.anyOf ?? schema.oneOf
  if (alternatives !== undefined) return union(alternatives.map((one) => typeScript(one, indent)))
  const types = [schema.type ?? []].flat()
  return types.length === 0 ? 'unknown' : union(types.map((type) => ofType(type, schema, indent)))
}

function ofType(type: string, schema: Schema, indent: string): string {
  if (type === 'integer') return 'number'
  if (type === 'array') {
    const item = typeScript(schema.items ?? {}, indent)
    return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`
  }
  return type === 'object' ? members(schema, indent) : type
}

/** Matches a name of a member that needs no quotes. */
export const isName = /^[A-Za-z_$][\w$]*$/

/** An object type, a member a line; interfaces are written with it too. */
export function members({ properties = {}, required = [], additionalProperties }: Schema, indent = ''): string {
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(([name, schema]) => {
    const key = isName.test(name) ? name : literal(name)
    return (
      `${comment(schema, inner)}${inner}${key}${required.includes(name) ? '' : '?'}: ` +
      `${typeScript(schema, inner)}\n`
    )
  })
  const open = additionalProperties !== undefined && additionalProperties !== false
  if (lines.length === 0) return open ? '{ [key: string]: unknown }' : 'Record<string, never>'
  return `{\n${lines.join('')}${open ? `${inner}[key: string]: unknown\n` : ''}${indent}}`
}
