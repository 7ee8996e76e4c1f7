import { listSqlBytesMax } from '@kontor/contract'
import { SqlRefusal } from './refusal.ts'

/**
 * Words, names and signs, all but commas and literals. The parser and what reads its tree go as deep as a text has of them, and
 * an engine's stack is found out about by ending at its end: 85 ms and 300 MiB for 8 KiB of `a+a+a+…`.
 */
const tokensMax = 600

/** One token of the SQL that lists have. Strings are plain ones: those with prefixes, and those between dollars, are none. */
const token =
  /\s+|--[^\n]*|(?<comment>\/\*)|(?<string>'(?:[^']|'')*')|(?<number>\d[\d.]*)|(?<sign>,)|(?<other>"(?:[^"]|"")*"|[\p{L}_][\p{L}\p{N}_$]*|.)/suy

/** Texts of other languages than this begin so, after a word or a sign. */
const prefixed = /^(?:e|b|x|n|u&)$/i

/** Refuses what is too long or too much before the parser sees it: every hostile text costs next to nothing. */
export function scan(sql: string): void {
  if (Buffer.byteLength(sql) > listSqlBytesMax)
    throw new SqlRefusal(`The SQL of a list has at most ${listSqlBytesMax} bytes.`)
  let tokens = 0
  let previous = ''
  const at = (index: number): number => Buffer.byteLength(sql.slice(0, index))
  token.lastIndex = 0
  for (let match = token.exec(sql); match !== null; match = token.exec(sql)) {
    const { comment, string, other } = match.groups as Record<string, string | undefined>
    if (comment !== undefined) token.lastIndex = endOfComment(sql, match.index, at)
    const quoted = string ?? (other?.startsWith('"') === true ? other : undefined)
    if (quoted !== undefined && prefixed.test(previous) && (string !== undefined || previous.endsWith('&')))
      throw new SqlRefusal('Texts and names are written without a prefix.', at(match.index - previous.length))
    if (other === '$')
      throw new SqlRefusal('Texts are written between single quotes, and there are no parameters.', at(match.index))
    if (other === ';' && sql.slice(token.lastIndex).trim() !== '')
      throw new SqlRefusal('A list is one statement.', at(match.index))
    if (other !== undefined && ++tokens > tokensMax)
      throw new SqlRefusal('The SQL of a list may not be as long-winded as this.', at(match.index))
    previous = other === '&' && /^u$/i.test(previous) ? 'u&' : (other ?? '')
  }
}

/** Comments may stand in comments. */
function endOfComment(sql: string, from: number, at: (index: number) => number): number {
  const edge = /\/\*|\*\//g
  edge.lastIndex = from
  let depth = 0
  for (let match = edge.exec(sql); match !== null; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1
    if (depth === 0) return edge.lastIndex
  }
  throw new SqlRefusal('This comment has no end.', at(from))
}
