import { setFlagsFromString } from 'node:v8'
import { isRecord, memberOf } from '../../lib/guards.ts'
import { once } from '../../lib/promises.ts'
import { SqlRefusal } from './refusal.ts'
import { scan } from './scan.ts'

/** A node of the parser's tree: one member, named for its kind. */
export type Node = Readonly<Record<string, unknown>>

/**
 * The grammar of Postgres itself, as WebAssembly: 14 MiB and some 30 ms, which cost only servers with SQL lists. V8
 * would recompile its huge functions once they are used often, and take 500 MiB for that; without that, they parse a
 * list in 0.1 ms.
 */
const load = once(async () => {
  for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
  const parser = await import('libpg-query')
  await parser.loadModule()
  return parser
})

/** Parses a text that is one SELECT to the parser's tree. */
export async function parse(sql: string): Promise<Node> {
  scan(sql)
  const { parseSync, hasSqlDetails } = await load()
  try {
    return selectOf(parseSync(sql))
  } catch (error) {
    if (error instanceof SqlRefusal) throw error
    const details = hasSqlDetails(error) ? error.sqlDetails : undefined
    throw new SqlRefusal(
      `This is not valid SQL: ${details?.message ?? 'it cannot be read'}.`,
      details === undefined ? undefined : Math.max(0, details.cursorPosition),
    )
  }
}

type Tree = { readonly stmts?: readonly { readonly stmt?: object; readonly stmt_location?: number }[] }

function selectOf({ stmts = [] }: Tree): Node {
  const [first, second] = stmts
  if (second !== undefined) throw new SqlRefusal('Send exactly one statement.', second.stmt_location ?? 0)
  const select = memberOf(first?.stmt, 'SelectStmt')
  if (!isRecord(select)) throw new SqlRefusal('Send exactly one SELECT.', 0)
  return select
}
