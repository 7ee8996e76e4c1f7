import type { FieldSchema, FieldTypeName } from '@kontor/contract'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { suggestion } from '../../kernel/nearest.ts'
import { askerOf, type Asker } from '../access/index.ts'
import { workspaceSchemas, type StoredSchema } from '../schemas/index.ts'
import type { Field } from './fields/field-type.ts'
import { fieldTypes } from './fields/index.ts'

/** An object as its schema declares it, compiled once for each version of the schema. */
export type ObjectModel = {
  readonly name: string
  readonly schema: StoredSchema
  readonly fields: ReadonlyMap<string, Field>
  /** Fields that a record carries as attributes, in the schema's order. */
  readonly attributes: readonly Field[]
  readonly uniques: readonly Field[]
  /** To-one references, to records and to users. */
  readonly references: readonly Field[]
  readonly readOnly: boolean
}

const compiled = new WeakMap<StoredSchema, ObjectModel>()

export function compileObject(schema: StoredSchema): ObjectModel {
  let model = compiled.get(schema)
  if (model === undefined) {
    model = compile(schema)
    compiled.set(schema, model)
  }
  return model
}

function compile(schema: StoredSchema): ObjectModel {
  const fields = Object.entries(schema.properties).map(([name, property]) => compileField(name, property, schema))
  const attributes = fields.filter((field) => !isToMany(field))
  return {
    name: schema.title,
    schema,
    fields: new Map(fields.map((field) => [field.name, field])),
    attributes,
    uniques: attributes.filter((field) => field.unique),
    references: attributes.filter((field) => field.relationship !== undefined),
    readOnly: schema.readOnly === true,
  }
}

function compileField(name: string, schema: FieldSchema, object: StoredSchema): Field {
  const type = fieldTypes[schema.xSvcType ?? nearestType(schema)]
  return {
    name,
    key: name,
    type,
    title: schema.title ?? name,
    primary: schema.xSvcPrimary === true,
    unique: schema.xSvcUnique === true,
    required: object.required?.includes(name) === true,
    readOnly: schema['readOnly'] === true,
    options: schema.enum && new Set(schema.enum.filter((option) => typeof option === 'string')),
    relationship: schema.xSvcRelationship ?? (type.name === 'user_reference' ? { kind: 'many-to-one', entity: 'user', field: undefined } : undefined),
    schema,
  }
}

/** Plain JSON Schema without `xSvcType`. */
function nearestType({ type, enum: options, xSvcRelationship }: FieldSchema): FieldTypeName {
  const json = Array.isArray(type) ? type.find((name) => name !== 'null') : type
  if (xSvcRelationship !== undefined) return 'reference'
  if (options !== undefined) return 'select'
  return json === 'number' || json === 'integer' ? 'number' : json === 'boolean' ? 'checkbox' : json === 'string' ? 'text' : 'json'
}

export const isToMany = (field: Field): boolean => field.relationship?.kind === 'one-to-many' || field.relationship?.kind === 'many-to-many'

/** Fields that link to records of an object, in the schema's order. */
export const relationshipFields = (object: ObjectModel): Field[] => [...object.fields.values()].filter(({ relationship }) => relationship !== undefined)

/** The name under which a field stands in the index tables; unlike its own name it never changes. */
export const indexName = (object: ObjectModel, field: Field): string => `${object.name}.${field.key}`

/** Where the links of a field are kept, and at which end of them its own records stand. */
export type LinkPlace = { readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/** A reference's links go from its own object; a pair of many-to-many fields shares the links of the one that sorts first. */
export function linkOf(object: ObjectModel, field: Field): LinkPlace {
  const own = indexName(object, field)
  const { kind, entity, field: counterpart } = field.relationship ?? {}
  const other = `${entity}.${counterpart}`
  if (kind === 'one-to-many') return { relationship: other, end: 'to_id' }
  return kind === 'many-to-many' && other < own ? { relationship: other, end: 'to_id' } : { relationship: own, end: 'from_id' }
}

/** The end of links at which the related records stand. */
export const otherEnd = ({ end }: LinkPlace): LinkPlace['end'] => (end === 'from_id' ? 'to_id' : 'from_id')

/** Every object of the workspace by its name. */
export const listObjects = async (ctx: WorkspaceReadContext): Promise<ReadonlyMap<string, ObjectModel>> =>
  new Map([...(await workspaceSchemas(ctx.tx, ctx.workspace))].map(([name, schema]) => [name, compileObject(schema)]))

/** The object that a path names, and who asks; 404 with the nearest name if there is none. */
export async function findObject(ctx: WorkspaceReadContext, name: string): Promise<{ object: ObjectModel; asker: Asker }> {
  const schemas = await workspaceSchemas(ctx.tx, ctx.workspace)
  const schema = schemas.get(name)
  if (schema === undefined) {
    throw ctx.fail('not_found', { detail: `There is no object "${name.slice(0, 64)}" in this workspace.${suggestion(name, [...schemas.keys()])}` })
  }
  return { object: compileObject(schema), asker: askerOf(ctx.actor, ctx.workspace, schema.xSvcAccess.default) }
}
