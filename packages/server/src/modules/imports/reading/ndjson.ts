import type { ImportEncoding } from '@kontor/contract'
import { readJson } from '@kontor/contract/values'
import { isRecord } from '../../../lib/guards.ts'
import { bytesIn } from './decode.ts'

/** A line of a file: an object, or what is wrong with it. */
export type JsonRow = { readonly line: number; readonly end: number; readonly text: string } & (
  | { readonly members: Readonly<Record<string, unknown>> }
  | { readonly fault: string }
)

type Part = {
  readonly text: string
  readonly isLast: boolean
  readonly encoding: ImportEncoding
  readonly line: number
}

class Inexact extends Error {}

/** Reads the lines of a part of a file that are whole, without empty ones. */
export function readNdjson({ text, isLast, encoding, line: before }: Part): JsonRow[] {
  const rows: JsonRow[] = []
  let [from, end, line] = [0, 0, before]
  while (from < text.length) {
    const at = text.indexOf('\n', from)
    if (at === -1 && !isLast) break
    const until = at === -1 ? text.length : at + 1
    const one = text.slice(from, until)
    from = until
    end += bytesIn(one, encoding)
    line++
    if (one.trim() !== '') rows.push({ line, end, text: one.trim(), ...membersOf(one) })
  }
  return rows
}

function membersOf(text: string): { members: Readonly<Record<string, unknown>> } | { fault: string } {
  try {
    const value = readJson(text, (numeral) => {
      throw new Inexact(`${numeral.slice(0, 100)} cannot be stored exactly; write fewer digits.`)
    })
    return isRecord(value) ? { members: value } : { fault: 'The line is not a JSON object.' }
  } catch (error) {
    return { fault: error instanceof Inexact ? error.message : 'The line is not valid JSON.' }
  }
}

/** The members of a line as cells under a header; what is no text is JSON. */
export const cellsOf = (members: Readonly<Record<string, unknown>>, header: readonly string[]): string[] =>
  header.map((name) => {
    const value = Object.hasOwn(members, name) ? members[name] : undefined
    return value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value)
  })
