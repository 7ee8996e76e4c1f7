import { isList, isRecord } from './guards.ts'
import { mapInPortions, portionItems } from './portions.ts'

/** How deep long lists are found: those of an answer are in `data`, or in a member of `meta`. */
const depthMax = 2

/** Returns a value as JSON, as `JSON.stringify` does; the items of long lists are written in portions. */
export const jsonInPortions = async (value: unknown): Promise<string> => (await written(value, 0)) ?? 'null'

async function written(value: unknown, depth: number): Promise<string | undefined> {
  if (isLong(value)) return `[${(await mapInPortions(value, (item) => textOf(item) ?? 'null')).join(',')}]`
  if (!isRecord(value) || !hasLong(value, depth)) return textOf(value)
  const members: string[] = []
  for (const [name, member] of Object.entries(value)) {
    const text = await written(member, depth + 1)
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`)
  }
  return `{${members.join(',')}}`
}

/** Returns the JSON of a value; undefined if it has none, as undefined itself. */
const textOf = (value: unknown): string | undefined => JSON.stringify(value)

const isLong = (value: unknown): value is readonly unknown[] => isList(value) && value.length > portionItems

/** Returns whether a value has a long list as a member, or one of its members has. */
const hasLong = (value: Readonly<Record<string, unknown>>, depth: number): boolean =>
  depth < depthMax &&
  !('toJSON' in value) &&
  Object.values(value).some((member) => isLong(member) || (isRecord(member) && hasLong(member, depth + 1)))
