/**
 * Loaded into a server before its own code, this kills it (-9) at a commit: the first that writes a table, where what
 * is written has a value in it. Just before the commit is sent, nothing of the transaction is stored; just after it all
 * is, and no caller has been told. DIES_AT says so: `before email sent`.
 */
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'

type Statement = Record<'run' | 'all' | 'get', (...values: unknown[]) => unknown>
type Query = (this: object, config: unknown, values?: unknown, callback?: unknown) => unknown

const required = createRequire(new URL('../../packages/server/package.json', import.meta.url))
const { Client } = required('pg') as { readonly Client: { readonly prototype: { query: Query } } }
const sqlite = required('better-sqlite3') as {
  readonly prototype: { prepare: (this: object, text: string) => Statement }
}

const [moment, table, value = ''] = (process.env['DIES_AT'] ?? '').split(' ')

const writes = new RegExp(`\\b(?:insert into|update)\\s+["\`]?${table}\\b`, 'i')

const isIt = (text: string, values: unknown): boolean =>
  writes.test(text) && JSON.stringify(values ?? []).includes(value)

function die(): never {
  writeSync(2, `   dies ${moment} the commit\n`)
  process.kill(process.pid, 'SIGKILL')
  throw new Error('A process that was killed goes on')
}

/** Connections of Postgres whose transaction has written it. */
const written = new WeakSet<object>()

const { query } = Client.prototype

Client.prototype.query = function watched(
  this: object,
  config: unknown,
  values?: unknown,
  callback?: unknown,
): unknown {
  const asked = (typeof config === 'string' ? { text: config } : config) as { text: string; values?: unknown }
  if (asked.text.startsWith('begin')) written.delete(this)
  else if (asked.text === 'commit' && written.has(this)) {
    if (moment === 'before') die()
    return (query.call(this, config) as Promise<unknown>).then(() => die())
  } else if (isIt(asked.text, asked.values)) written.add(this)
  return query.call(this, config, values, callback)
}

/** SQLite has one writer: whether the transaction that is open has written it. */
let hasWritten = false

const { prepare } = sqlite.prototype

sqlite.prototype.prepare = function watched(this: object, text: string): Statement {
  const statement = prepare.call(this, text)
  for (const name of ['run', 'all', 'get'] as const) {
    const own = statement[name].bind(statement)
    statement[name] = (...values) => {
      if (text.startsWith('begin')) hasWritten = false
      else if (isIt(text, values)) hasWritten = true
      const isLast = text === 'commit' && hasWritten
      if (isLast && moment === 'before') die()
      const result = own(...values)
      return isLast ? die() : result
    }
  }
  return statement
}
