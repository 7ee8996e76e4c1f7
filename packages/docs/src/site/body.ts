import type { Schema } from '../openapi.ts'
import { schemaOf } from './document.ts'
import { membersOf, type Field } from './fields.ts'

/** The body of an operation: its fields, and the type of the resource that may be around them. */
type Body = { readonly fields: readonly Field[]; readonly wrapper?: string }

/** The type in `{data: {type, attributes}}`; undefined for a schema of any other form. */
function wrapperOf({ properties = {} }: Schema): string | undefined {
  const { data, ...others } = properties
  if (data === undefined || Object.keys(others).length > 0) return undefined
  const { type, attributes } = schemaOf(data).properties ?? {}
  if (type === undefined || attributes === undefined) return undefined
  const [name] = schemaOf(type).enum ?? []
  return typeof name === 'string' ? name : undefined
}

/** Reads a body; one that is accepted bare and as a resource is described by its bare form. */
export function bodyOf(schema: Schema): Body {
  const forms = (schemaOf(schema).anyOf ?? []).map((form) => ({ form, wrapper: wrapperOf(schemaOf(form)) }))
  const bare = forms.find(({ wrapper }) => wrapper === undefined)?.form
  const wrapper = forms.find((one) => one.wrapper !== undefined)?.wrapper
  return forms.length === 2 && bare !== undefined && wrapper !== undefined
    ? { fields: membersOf(bare), wrapper }
    : { fields: membersOf(schema) }
}

/** A sentence on the two forms of a body, in Markdown; empty if it has one. */
export const formsOf = ({ wrapper }: Body): string =>
  wrapper === undefined
    ? ''
    : `Send these fields directly, or as \`{"data": {"type": "${wrapper}", "attributes": {…}}}\`.`
