import { listSqlBytesMax } from '@kontor/contract'
import { SqlRefusal } from './refusal.ts'

/**
 * Most tokens of a text, without commas and literals. The parser and the code that reads its tree recurse as deep as a
 * text has tokens, and the limit of an engine's stack is only discovered by exceeding it: 85 ms and 300 MiB for 8 KiB
 * of `a+a+a+…`.
 */
const tokensMax = 600

/** A token. Strings are plain: prefixed and dollar-quoted strings are not accepted. */
const token = new RegExp(
  [
    /\s+|--[^\n]*/,
    /(?<comment>\/\*)/,
    /(?<string>'(?:[^']|'')*')/,
    /(?<number>\d[\d.]*)/,
    /(?<sign>,)/,
    /(?<other>"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|.)/u,
  ]
    .map(({ source }) => source)
    .join('|'),
  'suy',
)

/** Prefixes of strings that are not accepted, as a word before a quote. */
const prefixed = /^(?:e|b|x|n|u&)$/i

/**
 * Refuses a text that is too long or has too many tokens before the parser sees it, so that a hostile text costs almost
 * nothing.
 */
export function scan(sql: string): void {
  if (Buffer.byteLength(sql) > listSqlBytesMax)
    throw new SqlRefusal(`SQL can have at most ${listSqlBytesMax} bytes here.`)
  let tokens = 0
  let previous = ''
  const at = (index: number): number => Buffer.byteLength(sql.slice(0, index))
  token.lastIndex = 0
  for (let match = token.exec(sql); match !== null; match = token.exec(sql)) {
    const { comment, string, other }: Record<string, string | undefined> = match.groups ?? {}
    if (comment !== undefined) token.lastIndex = endOfComment(sql, match.index, at)
    const quoted = string ?? (other?.startsWith('"') === true ? other : undefined)
    if (quoted !== undefined && prefixed.test(previous) && (string !== undefined || previous.endsWith('&')))
      throw new SqlRefusal('Write texts and names without a prefix.', at(match.index - previous.length))
    if (other === '$')
      throw new SqlRefusal('Write texts between single quotes; parameters are not supported.', at(match.index))
    if (other === ';' && sql.slice(token.lastIndex).trim() !== '')
      throw new SqlRefusal('Send exactly one statement.', at(match.index))
    if (other !== undefined && ++tokens > tokensMax)
      throw new SqlRefusal(`SQL can have at most ${tokensMax} words and signs here.`, at(match.index))
    previous = other === '&' && /^u$/i.test(previous) ? 'u&' : (other ?? '')
  }
}

/** Finds the end of a comment. Comments may be nested. */
function endOfComment(sql: string, from: number, at: (index: number) => number): number {
  const edge = /\/\*|\*\//g
  edge.lastIndex = from
  let depth = 0
  for (let match = edge.exec(sql); match !== null; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex
  }
  throw new SqlRefusal('This comment does not end.', at(from))
}
