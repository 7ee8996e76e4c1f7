import type { Json } from '../harness/http.ts'

/**
 * JSON as it shall stand on the wire, where `JSON.stringify` could not write it: `1e999`, `-0`, members given twice, no
 * JSON at all.
 */
export class RawJson {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

const open = '\uE000'
const close = '\uE001'

/** Like `JSON.stringify`, with raw parts as they are. */
export function jsonText(value: Json): string {
  const raws: string[] = []
  const text =
    JSON.stringify(value, (_key, part: unknown) =>
      part instanceof RawJson ? `${open}${raws.push(part.text) - 1}${close}` : part,
    ) ?? 'null'
  return raws.length === 0
    ? text
    : text.replaceAll(new RegExp(`"${open}(\\d+)${close}"`, 'g'), (_, index: string) => raws[Number(index)] as string)
}

const isMembers = (value: Json): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !(value instanceof RawJson)

/** Where something stands in a value. */
export type Path = readonly string[]

/** Every place in a value, itself included. */
export function pathsOf(value: Json, path: Path = []): Path[] {
  return [path, ...(isMembers(value) ? Object.keys(value).flatMap((key) => pathsOf(value[key], [...path, key])) : [])]
}

export const at = (value: Json, path: Path): Json => path.reduce<Json>((inner, key) => inner?.[key], value)

/** A copy with another value at a place; undefined takes the place out. */
export function changed(value: Json, [head, ...rest]: Path, by: Json): Json {
  if (head === undefined) return by
  const inner = changed(value[head], rest, by)
  if (Array.isArray(value))
    return inner === undefined ? value.toSpliced(Number(head), 1) : value.with(Number(head), inner)
  const { [head]: _, ...others } = value
  // Computed, so that a member of this name is one and not the prototype.
  return inner === undefined ? others : { ...value, [head]: inner }
}
