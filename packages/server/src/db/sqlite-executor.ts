import { handled } from '../lib/handled.ts'
import { type Executor, type Query, readsOfOneState, type RowChange, type WriteExecutor } from './executor.ts'
import type { Sql } from './sql.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { SqlitePortions, Steps } from './sqlite-portions.ts'
import { changeRows } from './sqlite-rows.ts'
import type { StatementCache } from './statement.ts'
import { promised, type TransactionState } from './transaction-state.ts'

/** Runs a read in a reader process. */
type HeavyReader = (query: Query) => Promise<unknown[]>

type ReaderRows = (query: Pick<Query, 'text' | 'values'>) => Promise<unknown[]>

type Compiler = { readonly sql: Sql; readonly compiled: StatementCache }

/** Runs light reads on the connection and heavy ones in a reader process. */
export const sqliteReads = (
  compiler: Compiler,
  connection: SqliteConnection,
  heavy: HeavyReader,
): Omit<Executor, 'inOneState'> => ({
  ...compiler,
  send: (query) =>
    promised<unknown>(() =>
      query.heavy === undefined || query.heavy === false ? run(connection, query) : heavy(query),
    ),
})

/** Runs all reads in one reader process. */
export const sqliteReadsOf = (compiler: Compiler, read: ReaderRows): Executor =>
  readsOfOneState({
    ...compiler,
    send: (query) => handled(read(query).then((rows): unknown => (query.answer === 'row' ? rows[0] : rows))),
  })

export type Transaction = Pick<WriteExecutor, 'published' | 'caches'> & {
  readonly connection: SqliteConnection
  readonly state: TransactionState
  readonly portions: SqlitePortions
}

/** Runs the statements of one transaction; SQLite answers short ones during the call. */
export function sqliteWrites(compiler: Compiler, transaction: Transaction): WriteExecutor {
  const { connection, published, caches, state, portions } = transaction
  const runText = async (text: string): Promise<unknown> =>
    portions.run(() => inOneStep(() => connection.run(text, [])))
  const savepoint = {
    set: () => runText('savepoint attempt'),
    release: () => runText('release attempt'),
    rollBack: () => runText('rollback to attempt').then(() => runText('release attempt')),
  }
  const send = (command: Query | RowChange): Promise<unknown> =>
    state.track(() =>
      portions.run(() => {
        // One that was sent before it may have failed meanwhile, and have ended the transaction.
        state.assertSound()
        return stepsOf(connection, command)
      }),
    )
  const executor: WriteExecutor = {
    ...compiler,
    published,
    caches,
    send,
    inOneState: (work) => work(executor),
    askBehind: (ask) => ask(readsOfOneState({ ...compiler, send })),
    attempt: (work) =>
      state.attempt(savepoint, (inner) => work(sqliteWrites(compiler, { ...transaction, state: inner }))),
  }
  return executor
}

const stepsOf = (connection: SqliteConnection, command: Query | RowChange): Steps<unknown> =>
  'change' in command ? changeRows(connection, command) : inOneStep(() => run(connection, command))

/** A statement that SQLite runs without a pause. */
// eslint-disable-next-line require-yield
function* inOneStep<T>(work: () => T): Steps<T> {
  return work()
}

function run(connection: SqliteConnection, { text, values, answer }: Query): unknown {
  if (answer === 'rows') return connection.all(text, values)
  return answer === 'row' ? connection.first(text, values) : connection.run(text, values)
}
