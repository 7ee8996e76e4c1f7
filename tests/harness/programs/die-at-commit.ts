/**
 * Loaded into a server before its own code. From SIGUSR2 on it counts the server's commits, and kills the process (-9)
 * at the one that DIES_AT names: just before it is sent, or once it is done and before any caller is told. Commits that
 * concern no workspace are not counted, since recurring work makes them at any time, nor those that do not write the
 * table which it may name.
 */
import { writeSync } from 'node:fs'
import { createRequire } from 'node:module'
import type Pg from 'pg'

const required = createRequire(new URL('../../../packages/server/package.json', import.meta.url))
const pg = required('pg') as typeof Pg
type Statement = Record<'run' | 'all' | 'get', (...values: unknown[]) => unknown>
const sqlite = required('better-sqlite3') as {
  readonly prototype: { readonly prepare: (this: object, text: string) => Statement }
}

const [moment, number, table = ''] = (process.env['DIES_AT'] ?? '').split(' ')

const systemWide = '00000000-0000-0000-0000-000000000000'

let isArmed = false
let commits = 0
process.on('SIGUSR2', () => (isArmed = true))

/** The tables that a transaction has written, without those of recurring work. */
type Written = Set<string>

function note(written: Written, text: string, values: readonly unknown[]): void {
  if (values.length === 0 || values.some((value) => String(value).includes(systemWide))) return
  for (const [, name = ''] of text.matchAll(/\b(?:insert into|update|delete from)\s+["`]?([a-z]\w+)/gi))
    if (!['set', 'skip', 'of'].includes(name)) written.add(name)
}

/** Returns whether this is the commit to die at. */
const isLast = (written: Written): boolean =>
  isArmed && (table === '' ? written.size > 0 : written.has(table)) && ++commits === Number(number)

function die(written: Written): never {
  writeSync(2, `dies ${moment} commit ${number}: ${[...written].toSorted().join(' ')}\n`)
  process.kill(process.pid, 'SIGKILL')
  throw new Error('A process that was killed goes on')
}

const transactions = new WeakMap<object, Written>()

type Query = (this: object, config: unknown, values?: unknown, callback?: unknown) => unknown

const { query } = pg.Client.prototype as { query: Query }

function watchedQuery(this: object, config: unknown, values?: unknown, callback?: unknown): unknown {
  const { text, values: own } = (typeof config === 'string' ? { text: config } : config) as {
    text: string
    values?: unknown[]
  }
  const written = transactions.get(this)
  if (text.startsWith('begin')) transactions.set(this, new Set())
  else if (written !== undefined && text === 'commit') {
    transactions.delete(this)
    if (isLast(written)) {
      if (moment === 'before') die(written)
      return (query.call(this, config) as Promise<unknown>).then(() => die(written))
    }
  } else if (written !== undefined) note(written, text, own ?? [])
  return query.call(this, config, values, callback)
}
Object.assign(pg.Client.prototype, { query: watchedQuery })

/** SQLite has one writer. */
let group: Written = new Set()

const { prepare } = sqlite.prototype

function watchedPrepare(this: object, text: string): Statement {
  const statement = prepare.call(this, text)
  for (const name of ['run', 'all', 'get'] as const) {
    const own = statement[name].bind(statement)
    Object.assign(statement, { [name]: (...values: unknown[]) => watched(text, values, own) })
  }
  return statement
}
Object.assign(sqlite.prototype, { prepare: watchedPrepare })

function watched(text: string, values: readonly unknown[], run: (...values: unknown[]) => unknown): unknown {
  if (text.startsWith('begin')) group = new Set()
  else if (text !== 'commit') note(group, text, values)
  const isTheLast = text === 'commit' && isLast(group)
  if (isTheLast && moment === 'before') die(group)
  const result = run(...values)
  return isTheLast ? die(group) : result
}
