import { subscribe } from 'node:diagnostics_channel'
import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { acrossWorkspaces } from './across-workspaces.ts'
import { openLookups } from './key-lookups.ts'
import { movedTables } from './moved-rows.ts'
import { boundConstants, constantColumns, type ConstantColumns } from './partial-indexes.ts'
import { starredTables } from './starred-tables.ts'
import { unboundTables } from './unbound-tables.ts'

/** A statement, the place in the server that sent it, and whether it is planned by its values. */
type Sent = { readonly text: string; readonly from: string; readonly byValues: boolean | undefined }

const seen = new Set<string>()

/** The statements that only the harness has sent. */
const ofHarness = new Set<string>()
let unread: Sent[] = []

subscribe('kontor:statement', (message) => {
  const { text, byValues } = message as Pick<Sent, 'text' | 'byValues'>
  if (seen.has(text)) return
  const from = sender()
  // The statements of the harness are its own affair.
  if (from.startsWith('tests/')) {
    ofHarness.add(text)
    return
  }
  ofHarness.delete(text)
  seen.add(text)
  unread.push({ text, from, byValues })
})

/** Returns whether a statement was sent by tests and not by the server in this process. */
export const isOfHarness = (text: string): boolean => ofHarness.has(text)

/** Where a statement comes from: the first place on the stack that is neither the database layer nor its meter. */
function sender(): string {
  const before = Error.stackTraceLimit
  Error.stackTraceLimit = 40
  const places = new Error('sent').stack?.match(/(?:packages|tests)\/[^\s():]+:\d+/g) ?? []
  Error.stackTraceLimit = before
  return (
    places.find(
      (place) => !/^packages\/server\/src\/(db\/|lib\/promises\.ts)|\/metered\.ts|^tests\/harness\/bound-/.test(place),
    ) ?? 'an unknown place'
  )
}

const schema = new URL('../../packages/server/src/db/snapshots/postgres.sql', import.meta.url)

/** The tables of workspaces are those whose primary key begins with the workspace. */
const tablesOfWorkspaces = (): Set<string> =>
  new Set(
    [...readFileSync(schema, 'utf8').matchAll(/constraint (\w+)_pkey PRIMARY KEY \(workspace_id\b/g)].map(
      ([, name]) => name!,
    ),
  )

const definition = /CREATE (?:UNIQUE )?INDEX .* WHERE .*/g

/** The columns that partial indexes compare with a constant. */
const comparedColumns = (parse: (sql: string) => unknown): ConstantColumns =>
  constantColumns((readFileSync(schema, 'utf8').match(definition) ?? []).map(parse))

/**
 * Throws if the server has sent a statement, since the last call, with a table that is not bound to a workspace or one
 * whose rows it moves to another (both docs/decisions/0142), one that finds a record by its key and permits another
 * index, one that is planned for all values and binds a constant of a partial index (both docs/decisions/0366), or one
 * that returns all columns of a table without naming them (docs/decisions/0401). Each text is parsed once for each
 * worker.
 */
export async function assertBound(): Promise<void> {
  if (unread.length === 0) return
  const { loadModule, parseSync } = await import('libpg-query')
  await loadModule()
  const tables = tablesOfWorkspaces()
  const compared = comparedColumns(parseSync)
  const faults = unread.flatMap(({ text, from, byValues }) => {
    const { stmts = [] } = parseSync(text) as { stmts?: { stmt: Record<string, unknown> }[] }
    const unbound = stmts.flatMap(({ stmt }) => unboundTables(stmt, tables))
    const starred = stmts.flatMap(({ stmt }) => starredTables(stmt))
    const isException = acrossWorkspaces.some(({ words }) => text.includes(words))
    const moved = movedTables(stmts)
    const open = openLookups(stmts)
    const bound = byValues === true ? [] : boundConstants(stmts, compared)
    return [
      ...(unbound.length === 0 || isException
        ? []
        : [`${from} does not bind ${unbound.join(', ')} (0142):\n  ${text}`]),
      ...(moved.length === 0 ? [] : [`${from} sets workspace_id of ${moved.join(', ')} (0142):\n  ${text}`]),
      ...(open.length === 0 ? [] : [`${from} permits more than the key for ${open.join(', ')} (0366):\n  ${text}`]),
      ...(bound.length === 0 ? [] : [`${from} binds a constant of an index: ${bound.join(', ')} (0366):\n  ${text}`]),
      ...(starred.length === 0 ? [] : [`${from} returns all columns of ${starred.join(', ')} (0401):\n  ${text}`]),
    ]
  })
  unread = []
  if (faults.length > 0) throw new Error(`A statement breaks a rule of docs/decisions.\n${faults.join('\n')}`)
}

// Else V8 compiles the parser's huge functions again and again, and takes 500 MiB for that.
for (const flag of ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering']) setFlagsFromString(flag)
