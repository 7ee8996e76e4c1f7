import { contract, mirroredKinds, type FieldSchema, type ObjectSchemaInput } from '@kontor/contract'
import { toOpenApi, toWorkspaceOpenApi } from '@kontor/contract/openapi'
import { nextTurn } from '../../lib/portions.ts'
import { canonicalField } from '../fields/index.ts'
import { compileObject } from '../objects/index.ts'
import { firstSchema, type SchemaDocument } from '../schemas/index.ts'
import { describeObject } from './describe-object.ts'

/** An object as a file describes it. */
type Described = Omit<ObjectSchemaInput, '$schema' | '$id' | 'type' | 'xSvcNamespace' | 'title'> & {
  readonly title: string
}

type Fields = Readonly<Record<string, FieldSchema>>

const fieldsOf = ({ properties }: Described): Fields =>
  Object.fromEntries(
    Object.entries(properties).map(([name, { xSvcPrevName: _before, ...sent }]) => [name, canonicalField(sent)]),
  )

const documentOf = ({ title, xSvcLabel, ...rest }: Described, properties: Fields): SchemaDocument => ({
  ...rest,
  title,
  type: 'object',
  xSvcNamespace: 'objects',
  xSvcLabel: xSvcLabel ?? { singular: title, plural: title },
  properties,
})

/** The documents of some objects, with the other ends of relationships that only one of them names. */
function documentsOf(objects: readonly Described[]): SchemaDocument[] {
  const found = new Map<string, Record<string, FieldSchema>>(objects.map((one) => [one.title, { ...fieldsOf(one) }]))
  const ends = objects.flatMap(({ title, xSvcLabel, properties }) =>
    Object.entries(properties).flatMap(([field, { xSvcRelationship: to }]) =>
      to === undefined ? [] : [{ title, label: xSvcLabel?.plural ?? title, field, to }],
    ),
  )
  for (const { title: entity, label, field, to } of ends) {
    const other = found.get(to.entity)
    const back = { kind: mirroredKinds[to.kind], entity, field }
    if (other) other[to.field] ??= { title: label, xSvcRelationship: back }
  }
  return objects.map((one) => documentOf(one, found.get(one.title) ?? {}))
}

type Document = Readonly<Record<string, unknown>>

/** Describes a workspace with these objects as OpenAPI, as `GET …/openapi.json` describes one, without a server. */
export async function describeDocuments(slug: string, described: readonly Described[]): Promise<Document> {
  const objects = documentsOf(described)
    .map((document) => describeObject(compileObject(firstSchema(document))))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1))
  const base = toOpenApi(contract, { serverUrl: 'https://kontor.example/v1', authUrl: 'https://kontor.example' })
  return toWorkspaceOpenApi({ ...base }, { slug, objects }, nextTurn)
}
