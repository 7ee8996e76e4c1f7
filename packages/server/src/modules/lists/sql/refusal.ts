/** SQL that a list may not have: what is wrong, and at which byte of the text it stands; undefined where that is the whole of it. */
export class SqlRefusal extends Error {
  override readonly name = 'SqlRefusal'
  readonly at: number | undefined
  /** What would be allowed in its place, where that is a choice of names. */
  readonly allowed: readonly string[] | undefined

  constructor(why: string, at?: number, allowed?: readonly string[]) {
    super(why)
    this.at = at
    this.allowed = allowed
  }
}

/** What stands at a place: a word, a quoted name, a literal, or what else is no space. */
const tokenShape = /^(?:"(?:[^"]|"")*"|'(?:[^']|'')*'|[\p{L}\p{N}_$]+|[^\s\p{L}\p{N}_$"']{1,3}|.)/u

const tokenCharactersMax = 60

export type ErrorLocation = { readonly token: string; readonly character: number }

/** The token at a byte of a text, and the number of its character, from 1. */
export function errorLocationOf(sql: string, at: number): ErrorLocation {
  const bytes = Buffer.from(sql)
  const rest = bytes.subarray(at).toString()
  const spaces = rest.length - rest.trimStart().length
  const character = bytes.subarray(0, at).toString().length + spaces + 1
  return { token: (tokenShape.exec(rest.trimStart())?.[0] ?? 'the end').slice(0, tokenCharactersMax), character }
}
