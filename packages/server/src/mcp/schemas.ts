import type { ObjectSchemaDocument } from '@kontor/contract'
import { Failure } from '../kernel/errors.ts'
import type { InProcessCall } from '../kernel/invoke/in-process.ts'

/** Reads the schemas of objects, each once for a call of a tool. */
export type SchemaReader = {
  /** Returns the schema of an object; undefined where the credential may not read it, or it does not exist. */
  readonly find: (object: string) => Promise<ObjectSchemaDocument | undefined>
}

export function schemaReader(call: InProcessCall): SchemaReader {
  const read = new Map<string, Promise<ObjectSchemaDocument | undefined>>()
  const find = async (object: string) => {
    try {
      return (await call('schemas.get', { object })).data.attributes
    } catch (error) {
      if (error instanceof Failure) return undefined
      throw error
    }
  }
  return {
    find(object) {
      const found = read.get(object) ?? find(object)
      read.set(object, found)
      return found
    },
  }
}

type Field = ObjectSchemaDocument['properties'][string]

/** Returns the name of the field that names the records of an object. */
export const primaryOf = (schema: ObjectSchemaDocument | undefined): string | undefined =>
  Object.entries(schema?.properties ?? {}).find(([, field]) => field.xSvcPrimary === true)?.[0]

/** Returns the object that a field refers to with at most one record. */
export const referenceOf = ({ xSvcType, xSvcRelationship: relationship }: Field): string | undefined => {
  if (xSvcType === 'user_reference') return 'user'
  return relationship?.kind.endsWith('-to-one') === true ? relationship.entity : undefined
}

/** Returns whether a field links to any number of records. */
const isToMany = ({ xSvcRelationship: relationship }: Field): boolean =>
  relationship?.kind.endsWith('-to-many') === true

/** Fields that a table shows where none are named. */
const columnsMax = 8

/** Types whose values are long, or of no use to a reader of a table. */
const longTypes: ReadonlySet<string> = new Set(['long_text', 'rich_text', 'url', 'json'])

/** Returns the fields that a table of records shows where none are named: short ones, the primary one first. */
export function shownFields(schema: ObjectSchemaDocument): string[] {
  const fields = Object.entries(schema.properties).filter(
    ([, field]) => !isToMany(field) && !longTypes.has(field.xSvcType ?? ''),
  )
  const primary = primaryOf(schema)
  return fields
    .map(([name]) => name)
    .toSorted((a, b) => Number(b === primary) - Number(a === primary))
    .slice(0, columnsMax)
}
