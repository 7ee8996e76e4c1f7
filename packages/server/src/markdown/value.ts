import { isList, isRecord, isString, memberOf } from '../lib/guards.ts'

/** Returns the name of what an id stands for, if it is known. */
export type NameOf = (id: string) => string | undefined

/** Fields that contain the name of a record, where its schema is not known. */
const nameFields = ['name', 'title', 'subject']

/** Returns the name of a record: its primary field, or what usually is one. */
export function titleOf(attributes: unknown, primary?: string): string | undefined {
  const title = (primary === undefined ? nameFields : [primary, ...nameFields])
    .map((name) => memberOf(attributes, name))
    .find((value) => value !== undefined && value !== null)
  const text = plainText(title)
  return text === '' ? undefined : text
}

/**
 * Returns a value as a reader reads it: names instead of parts, texts instead of blocks, items with commas. Of a long
 * list, no more items are read than the characters that are wanted need.
 */
export function plainText(value: unknown, charactersMax = Infinity): string {
  if (value === null || value === undefined) return ''
  if (isString(value)) return value
  if (typeof value === 'number' || typeof value === 'boolean') return String(value)
  if (isList(value)) return listText(value, charactersMax, isRichText(value) ? '\n' : ', ')
  if (!isRecord(value)) return ''
  if (isList(value['items'])) return plainText(value['items'], charactersMax)
  if (isString(value['full_name'])) return value['full_name']
  if (isString(value['email'])) return isString(value['name']) ? `${value['name']} <${value['email']}>` : value['email']
  if (isBlock(value)) return blockText(value, charactersMax)
  return JSON.stringify(value)
}

function listText(values: readonly unknown[], charactersMax: number, separator: string): string {
  return firstTexts(values, charactersMax, (value) => plainText(value, charactersMax))
    .filter(Boolean)
    .join(separator)
}

/** Returns the texts of the first values, which together have as many characters as are wanted. */
function firstTexts(values: readonly unknown[], charactersMax: number, textOf: (value: unknown) => string): string[] {
  const texts: string[] = []
  let characters = 0
  for (const value of values) {
    if (characters > charactersMax) break
    const text = textOf(value)
    texts.push(text)
    characters += text.length + 1
  }
  return texts
}

type Block = Readonly<Record<string, unknown>>

const isBlock = (value: Block): boolean => isString(value['type']) && ('content' in value || 'text' in value)

const isRichText = (value: readonly unknown[]): boolean => value.some((item) => isRecord(item) && isBlock(item))

function blockText({ text, content, children }: Block, charactersMax: number): string {
  if (isString(text)) return text
  const runs = isList(content) ? listText(content, charactersMax, '') : ''
  return [runs, isList(children) ? plainText(children, charactersMax) : ''].filter(Boolean).join('\n')
}

/** Characters of a text that are brought onto one line for each that is shown: most of a long one is not. */
const readForEach = 10

/** Returns how much of a text a cell reads. */
export const readForCell = (charactersMax: number): number => charactersMax * readForEach

/** Returns a text for a cell of a table, on one line, and shortened where it is long. */
export function cellText(text: string, charactersMax: number): string {
  const read = text.slice(0, readForCell(charactersMax))
  const line = read.replaceAll(/\s+/g, ' ').trim()
  const short =
    line.length <= charactersMax && read.length === text.length
      ? line
      : `${line.slice(0, charactersMax).toWellFormed()}…`
  return short.replaceAll('\\', '\\\\').replaceAll('|', '\\|')
}

/** Returns a value with the name of what it refers to beside the id. */
export function namedText(value: unknown, nameOf: NameOf, charactersMax = Infinity): string {
  if (isList(value))
    return firstTexts(value, charactersMax, (item) => namedText(item, nameOf, charactersMax)).join(', ')
  const text = plainText(value, charactersMax)
  const name = isString(value) ? nameOf(value) : undefined
  return name === undefined ? text : `${name} (${text})`
}
