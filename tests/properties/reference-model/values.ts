import { fieldOf, type Field } from './fields.ts'
import type { Json } from '../../harness/http.ts'

/** Records by object and id, as the API shows their attributes. */
export type World = Readonly<Record<string, ReadonlyMap<string, Json>>>

/** A value as it is compared; null where there is none. */
export type Compared = string | number | readonly string[] | null

/** Without regard to case, after compatibility normalisation, one sigma for both. */
export const folded = (text: string): string =>
  text.normalize('NFKC').toLowerCase().replaceAll('ς', 'σ').normalize('NFC')

/** A location is its text, or the texts in it in their own order. */
function textOfLocation(value: Json): string | null {
  if (typeof value === 'string') return folded(value)
  const texts: string[] = []
  const visit = (inner: Json): void => {
    if (typeof inner === 'string') texts.push(inner)
    else if (typeof inner === 'object' && inner !== null) Object.values(inner).forEach(visit)
  }
  visit(value)
  return texts.length === 0 ? null : folded(texts.toSorted(byBytes).join(', '))
}

/** As both databases compare texts: by the bytes of UTF-8. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

export function comparedOf({ kind, name, items }: Field, attributes: Json): Compared {
  const value = attributes[name]
  if (value === null || value === undefined) return null
  if (kind === 'text') return folded(name === 'name' && typeof value === 'object' ? value.full_name : value)
  if (kind === 'items')
    return value.items.length === 0
      ? null
      : items === 'role'
        ? value.items
        : value.items.map((item: Json) => folded(items === 'participant' ? item.email : item))
  if (kind === 'timestamp') return Date.parse(value)
  if (kind === 'flag') return Number(value)
  if (kind === 'location') return textOfLocation(value)
  return kind === 'rich' ? 'something' : value
}

/**
 * Follows a path from a record to the one that its last name belongs to; undefined where a reference is empty or
 * hidden.
 */
export function atEnd(
  world: World,
  object: string,
  attributes: Json,
  path: readonly string[],
): { readonly object: string; readonly attributes: Json } | undefined {
  const [name, ...rest] = path
  if (name === undefined) return { object, attributes }
  const to = fieldOf(object, name).to!
  const next = world[to]!.get(attributes[name])
  return next === undefined ? undefined : atEnd(world, to, next, rest)
}
