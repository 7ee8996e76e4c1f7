import { bodyBytesMax, readJson } from '@kontor/contract'
import { failure } from '../kernel/errors.ts'
import { nextTurn } from '../lib/portions.ts'
import { JsonOutline, type ListSpan } from './json-outline.ts'

/** Characters that are read at once, which takes some milliseconds whatever they are. */
const smallMax = 2 ** 16

/** Characters of items that are read in one turn. */
const portionCharacters = 2 ** 17

/** Characters that are outlined in one turn. */
const outlinedAtOnce = 2 ** 20

/** Characters of a body that is read at once, once its outline has shown that it is not costly. */
const wholeMax = bodyBytesMax.normal

/** Values of one item, and of all that is in no list, which take up to 20 ms to read. */
const partValuesMax = 100_000

type Instead = (numeral: string) => string

/**
 * Reads the JSON of a body, as `readJson` does, but in portions: whatever a large one consists of, no request of others
 * waits for more than one of them. Throws what `JSON.parse` throws.
 */
export async function readLargeJson(text: string, instead: Instead): Promise<unknown> {
  if (text.length <= smallMax) return readJson(text, instead)
  const outline = new JsonOutline(text, portionCharacters)
  for (let until = outlinedAtOnce; !outline.read(until); until += outlinedAtOnce) await nextTurn()
  if (outline.isMalformed) throw new SyntaxError('Its brackets do not match.')
  if (outline.fault !== undefined) throw refused(outline.fault)
  await nextTurn()
  const value = text.length <= wholeMax ? readJson(text, instead) : await readParts(text, outline, instead)
  await nextTurn()
  return value
}

/** Reads what is in no list of the root, and then the items of each list. */
async function readParts(text: string, outline: JsonOutline, instead: Instead): Promise<unknown> {
  const { lists, values, itemMax } = outline
  if (itemMax > wholeMax) throw refused(`An item of a list has at most ${wholeMax} characters.`)
  if (Math.max(values.ofItem, values.outside) > partValuesMax)
    throw refused(
      `A body of more than ${wholeMax} characters must be an object with lists. Each of their items, and all else ` +
        `together, has at most ${partValuesMax} values.`,
    )
  const root = readJson(frameOf(text, lists), instead)
  const contents: unknown[][] = []
  for (const list of lists) contents.push(await readItems(text, list, instead))
  for (const member of Object.values(root ?? {}))
    if (Array.isArray(member)) for (const item of contents[Number(member.pop())] ?? []) member.push(item)
  return root
}

/** The text without the items of the lists in its root: each contains its own number instead. */
function frameOf(text: string, lists: readonly ListSpan[]): string {
  const parts = lists.map(({ start }, index) => `${text.slice(lists[index - 1]?.end ?? 0, start)}${index}`)
  return `${parts.join('')}${text.slice(lists.at(-1)?.end ?? 0)}`
}

async function readItems(text: string, { start, end, cuts }: ListSpan, instead: Instead): Promise<unknown[]> {
  const items: unknown[] = []
  const starts = [start, ...cuts.map((cut) => cut + 1)]
  for (const [index, from] of starts.entries()) {
    const some = readJson(`[${text.slice(from, cuts[index] ?? end)}]`, instead)
    if (!Array.isArray(some) || (some.length === 0 && cuts.length > 0))
      throw new SyntaxError('Unexpected comma in a list')
    for (const item of some) items.push(item)
    if (cuts.length > 0) await nextTurn()
  }
  return items
}

const refused = (detail: string) => failure('invalid_body', detail, { source: { pointer: '' } })
