import { typeName, type Output, type schemas } from '@kontor/contract'
import { conditionType, filterOf, type Relation } from './filters.ts'
import { comment, literal, members, referenced, typeScript, type Schema } from './print.ts'

type Document = Output<typeof schemas.describe>
type Schemas = Readonly<Record<string, Schema>>

/** Types written for each object, in this order; a read-only object lacks some. */
const parts = [
  'Record',
  'Attributes',
  'Relationships',
  'Input',
  'Change',
  'Links',
  'Column',
  'Include',
  'UniqueField',
  'Related',
  'RelatedOne',
  'RelatedMany',
  'Reference',
] as const

/** An interface without members would take anything. */
const isInterface = ({ type, properties = {} }: Schema): boolean =>
  type === 'object' && Object.keys(properties).length > 0

function declaration(name: string, schema: Schema): string {
  const body = isInterface(schema) ? `interface ${name} ${members(schema)}` : `type ${name} = ${typeScript(schema)}`
  return `${comment(schema)}export ${body}\n`
}

/** The names of the objects that a document describes. */
export const objectsOf = (schemas: Schemas): string[] => (schemas['ObjectName']?.enum ?? []).map(String)

/** Every component that these lead to, themselves first. */
function withReferenced(names: readonly string[], schemas: Schemas): string[] {
  const found = new Set(names)
  for (const name of found)
    for (const [, pointer = ''] of JSON.stringify(schemas[name]).matchAll(/"\$ref":"([^"]+)"/g))
      found.add(referenced(pointer))
  return [...found]
}

/** One line of `Objects`: what a client needs to know of an object. */
function summary(object: string, schemas: Schemas): string {
  const type = typeName(object)
  const named = (part: string): string => (`${type}${part}` in schemas ? `${type}${part}` : 'never')
  const related = relationsOf(object, schemas).map(({ name, target }) => `${name}: ${literal(target)}`)
  const facts = [
    `record: ${named('Record')}`,
    `input: ${named('Input')}`,
    `change: ${named('Change')}`,
    `links: ${named('Links')}`,
    `column: ${named('Column')}`,
    `filter: ${type}Filter`,
    `matchOn: ${named('UniqueField')}`,
    `include: ${named('Include')}`,
    `related: {${related.length === 0 ? '' : ` ${related.join('; ')} `}}`,
  ]
  return `  ${object}: {\n${facts.map((fact) => `    ${fact}\n`).join('')}  }\n`
}

/** The relationships of an object. */
const relationsOf = (object: string, schemas: Schemas): Relation[] =>
  Object.entries(schemas[`${typeName(object)}Relationships`]?.properties ?? {}).map(([name, { $ref = '' }]) => ({
    name,
    target: targetOf(referenced($ref), schemas),
  }))

/** The object of `PersonRelatedMany`. */
const targetOf = (component: string, schemas: Schemas): string =>
  objectsOf(schemas).find((object) =>
    [`${typeName(object)}RelatedOne`, `${typeName(object)}RelatedMany`].includes(component),
  ) ?? ''

/** Where the objects are described: in a workspace, or in the files of a folder. */
export type Source = { readonly workspace: string } | { readonly dir: string }

const firstLine = (source: Source): string =>
  'dir' in source
    ? `// The objects in the folder ${literal(source.dir)}, written by: kontor types --dir ${source.dir}\n`
    : `// The objects of the workspace ${literal(source.workspace)}, written by: ` +
      `kontor types --workspace ${source.workspace}\n`

/** The types of objects as one TypeScript module: the same schemas give the same text. */
export function writeTypes(source: Source, { components }: Document): string {
  const schemas = components['schemas'] as Schemas
  const objects = objectsOf(schemas)
  const wanted = objects.flatMap((object) =>
    parts.map((part) => `${typeName(object)}${part}`).filter((name) => name in schemas),
  )
  return [
    firstLine(source),
    `/** By object, its types. Hand it to a client: \`createObjectsClient<Objects>(…)\`. */\nexport ` +
      `interface Objects {\n${objects.map((object) => summary(object, schemas)).join('')}}\n`,
    '/** The name of any object. */\nexport type ObjectName = keyof Objects\n',
    conditionType,
    ...objects.map((object) => filterOf(object, relationsOf(object, schemas), schemas)),
    ...withReferenced(wanted, schemas).map((name) => declaration(name, schemas[name] as Schema)),
  ].join('\n')
}
