import type { Executor, Query, RowChange, WriteExecutor } from './executor.ts'
import type { Sql } from './sql.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { changeRows } from './sqlite-rows.ts'
import type { StatementCache } from './statement.ts'
import { promised, type TransactionState } from './transaction-state.ts'

/** Runs a read in a reader process. */
type HeavyReader = (query: Query) => Promise<unknown[]>

type Compiler = { readonly sql: Sql; readonly compiled: StatementCache }

/** Runs light reads on the connection and heavy ones in a reader process. */
export const sqliteReads = (compiler: Compiler, connection: SqliteConnection, heavy: HeavyReader): Executor => ({
  ...compiler,
  send: (query) =>
    promised<unknown>(() =>
      query.heavy === undefined || query.heavy === false ? run(connection, query) : heavy(query),
    ),
})

type Transaction = Pick<WriteExecutor, 'published' | 'caches'> & {
  readonly connection: SqliteConnection
  readonly state: TransactionState
}

/** Runs the statements of one transaction; SQLite answers during the call. */
export function sqliteWrites(compiler: Compiler, transaction: Transaction): WriteExecutor {
  const { connection, published, caches, state } = transaction
  const runNow = async (text: string): Promise<unknown> => connection.run(text, [])
  const savepoint = {
    set: () => runNow('savepoint attempt'),
    release: () => runNow('release attempt'),
    rollBack: () => runNow('rollback to attempt').then(() => runNow('release attempt')),
  }
  const send = (command: Query | RowChange): Promise<unknown> => state.track(() => run(connection, command))
  return {
    ...compiler,
    published,
    caches,
    send,
    askBehind: (ask) => ask({ ...compiler, send }),
    attempt: (work) =>
      state.attempt(savepoint, (inner) => work(sqliteWrites(compiler, { ...transaction, state: inner }))),
  }
}

function run(connection: SqliteConnection, command: Query | RowChange): unknown {
  if ('change' in command) return changeRows(connection, command)
  const { text, values, answer } = command
  if (answer === 'rows') return connection.all(text, values)
  return answer === 'row' ? connection.first(text, values) : connection.run(text, values)
}
