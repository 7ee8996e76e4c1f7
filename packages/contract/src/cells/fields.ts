import type { FieldSchema } from '../field-schema.ts'
import { suggestionOrAllowed } from '../nearest.ts'
import type { ObjectSchemaDocument } from '../schema-document.ts'
import { writerOf, type Writer } from './values.ts'

export const isToMany = ({ xSvcRelationship }: FieldSchema): boolean =>
  xSvcRelationship !== undefined && xSvcRelationship.kind.endsWith('-to-many')

/** Lists the fields that an import can fill. */
export const writable = ({ properties }: ObjectSchemaDocument): string[] =>
  Object.entries(properties).flatMap(([name, field]) =>
    name.startsWith('_') || field['readOnly'] === true || isToMany(field) ? [] : [name],
  )

/** Lists the fields by which a record can be found. */
export const uniqueFields = ({ properties }: ObjectSchemaDocument): string[] =>
  Object.entries(properties).flatMap(([name, { xSvcUnique }]) => (xSvcUnique === true ? [name] : []))

/** Finds a field of a schema; a name like `toString` is none. */
export const fieldOf = ({ properties }: ObjectSchemaDocument, name: string): FieldSchema | undefined =>
  Object.hasOwn(properties, name) ? properties[name] : undefined

/** Finds the object that a reference leads to. */
export const referencedObject = (schema: ObjectSchemaDocument, name: string): string | undefined =>
  writable(schema).includes(name) ? fieldOf(schema, name)?.xSvcRelationship?.entity : undefined

/**
 * Finds the writer of a field that can be written; what is wrong goes to `faults`. `linksHint` tells the caller how to
 * write links with many records, which are no value of a record.
 */
export function fieldWriter(
  schema: ObjectSchemaDocument,
  name: string,
  part: string | undefined,
  faults: string[],
  linksHint: (schema: ObjectSchemaDocument, name: string) => string = importLinksHint,
): Writer | undefined {
  const field = fieldOf(schema, name)
  const allowed = writable(schema)
  if (field === undefined || !allowed.includes(name)) {
    faults.push(
      field === undefined
        ? `${schema.title} has no field "${name}".${suggestionOrAllowed(name, allowed)}`
        : isToMany(field)
          ? `"${name}" of ${schema.title} is no value, but links with many records. ${linksHint(schema, name)}`
          : `The field "${name}" of ${schema.title} cannot be written.`,
    )
    return undefined
  }
  const writer = writerOf(field)
  if (part === undefined || writer.parts === 'any' || writer.parts?.includes(part)) return writer
  faults.push(
    writer.parts === undefined
      ? `The field "${name}" has no parts; map to "${name}".`
      : `"${name}" has no part "${part}"; it has ${writer.parts.join(', ')}.`,
  )
  return undefined
}

const importLinksHint = ({ title }: ObjectSchemaDocument, name: string): string =>
  `Import them from a file with two columns: kontor import --links ${title}.${name} FILE.`
