import { fieldWriter, referencedObject, uniqueFields, type LinkedSchemas, type MapOption } from '@kontor/contract/cells'
import type { ObjectSchemaDocument } from '@kontor/contract'

/** Says what is wrong with the mapping of the members of NDJSON lines. */
export function memberFaults(
  maps: readonly MapOption[],
  schema: ObjectSchemaDocument,
  linked: LinkedSchemas,
): string[] {
  const faults: string[] = []
  for (const { field, part } of maps) {
    const other = linked.get(referencedObject(schema, field) ?? '')
    if (part === undefined || other === undefined) fieldWriter(schema, field, part, faults)
    else if (!uniqueFields(other).includes(part))
      faults.push(`"${part}" of ${other.title} is not unique, so no record can be found by it.`)
  }
  return faults
}

/** The attributes of a line, or what is wrong with it. */
type MappedLine = { readonly attributes: Readonly<Record<string, unknown>> } | { readonly faults: readonly string[] }

/** Maps the members of a line to attributes; without a mapping they are attributes. */
export function mapMembers(
  maps: readonly MapOption[] | null,
  members: Readonly<Record<string, unknown>>,
  { schema, matchOn }: { readonly schema: ObjectSchemaDocument; readonly matchOn: string | undefined },
): MappedLine {
  const attributes = maps === null ? members : attributesOf(maps, members, schema)
  if (Object.keys(attributes).length === 0) return { faults: ['The line has none of the mapped members.'] }
  if (matchOn !== undefined && (attributes[matchOn] ?? null) === null)
    return { faults: [`${matchOn}: The value to match on is missing.`] }
  return { attributes }
}

function attributesOf(
  maps: readonly MapOption[],
  members: Readonly<Record<string, unknown>>,
  schema: ObjectSchemaDocument,
): Record<string, unknown> {
  const attributes: Record<string, unknown> = {}
  const parts = new Map<string, Record<string, unknown>>()
  for (const { source, field, part } of maps) {
    if (!Object.hasOwn(members, source)) continue
    const value = members[source]
    if (part === undefined) attributes[field] = value
    else {
      const some = parts.get(field) ?? {}
      parts.set(field, { ...some, [part]: value })
    }
  }
  for (const [field, some] of parts)
    attributes[field] = referencedObject(schema, field) === undefined ? some : { match: some }
  return attributes
}
