import type { Fault } from '../../kernel/errors.ts'

/**
 * A refusal of SQL: the reason, and the byte of the text at which it occurs; undefined if it concerns the
 * whole text.
 */
export class SqlRefusal extends Error {
  override readonly name = 'SqlRefusal'
  readonly at: number | undefined
  /** The names that would be allowed instead, if there is a choice of names. */
  readonly allowed: readonly string[] | undefined

  constructor(why: string, at?: number, allowed?: readonly string[]) {
    super(why)
    this.at = at
    this.allowed = allowed
  }
}

/** A token: a word, a quoted name, a literal, or other characters that are no spaces. */
const tokenShape = /^(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$"']{1,3}|.)/u

const tokenCharactersMax = 60

type ErrorLocation = { readonly token: string; readonly character: number }

/** The token at a byte of a text, and the number of its character, from 1. */
function errorLocationOf(sql: string, at: number): ErrorLocation {
  const bytes = Buffer.from(sql)
  const rest = bytes.subarray(at).toString()
  const spaces = rest.length - rest.trimStart().length
  const character = bytes.subarray(0, at).toString().length + spaces + 1
  return { token: (tokenShape.exec(rest.trimStart())?.[0] ?? 'the end').slice(0, tokenCharactersMax), character }
}

/** The fault of a refusal, with the token and the number of its character; `pointer` is where the body has the SQL. */
export function refusalFault(sql: string, { at, allowed, message }: SqlRefusal, pointer: string): Omit<Fault, 'code'> {
  const location = at === undefined ? undefined : errorLocationOf(sql, at)
  const where = location === undefined ? '' : ` At character ${location.character}: ${location.token}`
  return {
    detail: `${message}${where}`,
    source: { pointer },
    meta: { ...location, ...(allowed && { allowed }) },
  }
}
