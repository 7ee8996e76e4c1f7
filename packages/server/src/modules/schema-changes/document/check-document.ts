import { fieldsMax, type FieldSchema, type NewFieldSchema } from '@kontor/contract'
import { canonicalField, checkSpelling, fieldKeywords, placeAsSent } from '../../fields/index.ts'
import { typeOf } from '../../objects/index.ts'
import type { Faults } from '../../records/index.ts'
import { checkField } from './check-field.ts'
import { nameFault } from './names.ts'

type Path = readonly (string | number)[]
type Fields = Readonly<Record<string, FieldSchema>>

/** Checks the names and schemas of fields at a path of the body, and returns them in canonical form. */
export function checkFields(fields: Readonly<Record<string, NewFieldSchema>>, at: Path, faults: Faults): Fields {
  return Object.fromEntries(
    Object.entries(fields).map(([name, sent]): [string, FieldSchema] => {
      const fault = nameFault(name)
      if (fault !== undefined) faults.add([...at, name], fault)
      checkSpelling(sent, (path, detail) => faults.add([...at, name, ...path], detail))
      const schema = canonicalField(sent)
      checkField(name, schema, (path, detail) => faults.add([...at, name, ...placeAsSent(sent, path)], detail))
      return [name, schema]
    }),
  )
}

type Document = { readonly properties: Fields; readonly required?: readonly string[] | undefined }

/** Checks the rules that concern all fields together: their number, the primary one, the required ones. */
export function checkTogether(
  { properties, required = [] }: Document,
  at: { readonly properties: Path; readonly required: Path },
  faults: Faults,
): void {
  const names = Object.keys(properties)
  if (names.length > fieldsMax)
    faults.add(at.properties, `An object has at most ${fieldsMax} fields; these are ${names.length}.`)
  const primary = names.filter((name) => properties[name]?.xSvcPrimary === true)
  if (primary.length !== 1)
    faults.add(
      at.properties,
      `One field has xSvcPrimary: true; here ${primary.length === 0 ? 'none has' : `${primary.join(', ')} have`}.`,
    )
  required.forEach((name, index) => {
    const fault = requiredFault(
      Object.hasOwn(properties, name) ? properties[name] : undefined,
      required.indexOf(name) < index,
    )
    if (fault !== undefined) faults.add([...at.required, index], fault)
  })
}

function requiredFault(schema: FieldSchema | undefined, twice: boolean): string | undefined {
  if (twice) return 'This field is already listed.'
  if (schema === undefined) return 'There is no such field in "properties".'
  const { name } = typeOf(schema)
  if (name === 'reference' || name === 'user_reference')
    return 'A relationship cannot be required: it becomes empty when the other record is deleted.'
  return schema.readOnly === true && schema.default === undefined
    ? 'A read-only field without a default cannot be required: no caller could set it.'
    : undefined
}

/** Returns whether a field of this type may be the primary one. */
export const mayBePrimary = (schema: FieldSchema): boolean => fieldKeywords(typeOf(schema)).includes('xSvcPrimary')
