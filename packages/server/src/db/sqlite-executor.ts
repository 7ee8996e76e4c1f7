import { handled, promised } from '../lib/promises.ts'
import { readsOfOneState, type Executor, type Query, type RowChange, type WriteExecutor, type Row } from './executor.ts'
import type { Sql } from './sql.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import type { StatementCache } from './statement.ts'
import type { TransactionState } from './transaction-state.ts'
import { encode, kindOf } from './column-kinds.ts'
import type { TableName } from './columns.ts'
import { indexGrams } from './sqlite-grams.ts'
import { nextTurn } from '../lib/portions.ts'

/** Longest that a transaction keeps the event loop from other work. */
const portionMs = 10

/** Statements run one after another, each in steps between which others may have their turn. */
export type Steps<T> = Generator<void, T, void>

/**
 * The statements of one transaction, in the order in which they were sent. They run at once, as SQLite does, until the
 * transaction has kept the event loop for long; then reads and answers have their turn, and the rest follows in further
 * portions.
 */
export class SqlitePortions {
  readonly #now: () => number
  #since: number
  #last: Promise<unknown> | undefined
  #isCancelled = false

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
    this.#since = now()
  }

  run<T>(begin: () => Steps<T>): T | Promise<T> {
    if (this.#last !== undefined || this.#isOver) return this.#follow(this.#behind(this.#last, begin))
    const steps = begin()
    const result = this.#advance(steps)
    return result.done === true ? result.value : this.#follow(this.#rest().then(() => this.#finish(steps)))
  }

  /** Resolves when nothing is left to run. */
  async end(): Promise<void> {
    while (this.#last !== undefined) await this.#last.catch(() => undefined)
  }

  /** Lets what is left fail: the transaction is rolled back. */
  cancel(): void {
    this.#isCancelled = true
  }

  get #isOver(): boolean {
    return this.#now() - this.#since > portionMs
  }

  #follow<T>(result: Promise<T>): Promise<T> {
    const last: Promise<T> = handled(
      result.finally(() => {
        if (this.#last === last) this.#last = undefined
      }),
    )
    this.#last = last
    return last
  }

  async #behind<T>(before: Promise<unknown> | undefined, begin: () => Steps<T>): Promise<T> {
    await before?.catch(() => undefined)
    if (this.#isOver) await this.#rest()
    return this.#finish(begin())
  }

  async #finish<T>(steps: Steps<T>): Promise<T> {
    for (let result = this.#advance(steps); ; result = this.#advance(steps)) {
      if (result.done === true) return result.value
      await this.#rest()
    }
  }

  /** Runs steps until all are done, or others have to have their turn. */
  #advance<T>(steps: Steps<T>): IteratorResult<void, T> {
    if (this.#isCancelled) throw new Error('The transaction has ended before this statement')
    for (let result = steps.next(); ; result = steps.next()) if (result.done === true || this.#isOver) return result
  }

  async #rest(): Promise<void> {
    await nextTurn()
    this.#since = this.#now()
  }
}

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
  readonly isAlone: () => boolean
}

/** Runs the statements of one transaction; SQLite answers short ones during the call. */
export function sqliteWrites(compiler: Compiler, transaction: Transaction): WriteExecutor {
  const { connection, published, caches, state, portions } = transaction
  const runText = async (text: string, attempt?: TransactionState): Promise<unknown> =>
    portions.run(() => {
      attempt?.assertSound()
      return inOneStep(() => connection.run(text, []))
    })
  const savepoint = {
    set: () => runText('savepoint attempt'),
    release: (attempt: TransactionState) => runText('release attempt', attempt),
    rollBack: () => runText('rollback to attempt').then(() => runText('release attempt')),
    forget: () => caches.clear(),
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
    isAlone: async () => transaction.isAlone(),
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

/** Rows of one step. */
const stepRows = 20

/** Changes rows one by one, with one prepared statement for all of them. */
function* changeRows(
  connection: SqliteConnection,
  { change, table, keys = [], rows, returning = [] }: RowChange,
): Steps<Row[]> {
  const changed = Object.keys(rows[0] ?? {}).filter((column) => !keys.includes(column))
  const columns = [...changed, ...keys].map((column) => [column, kindOf(table, column)] as const)
  const valuesOf = (row: Row): unknown[] => columns.map(([column, kind]) => encode(kind, row[column]))
  const text = texts[change](table, changed, keys)
  const found: Row[] = []
  const affected: Row[] = []
  for (const [index, row] of rows.entries()) {
    if (index % stepRows === stepRows - 1) yield
    if (change === 'delete' && returning.length > 0)
      found.push(...connection.all(`${text} returning ${returning.join(', ')}`, valuesOf(row)))
    else if (connection.run(text, valuesOf(row)) > 0) affected.push(row)
  }
  if (table === 'field_gram' && change !== 'delete') indexGrams(connection)
  if (returning.length === 0) return []
  if (change === 'delete') return found
  // The result of RETURNING is known here, and SQLite would build a table for it.
  return affected.map((row) => Object.fromEntries(returning.map((column) => [column, row[column] ?? null])))
}

type Text = (table: TableName, columns: readonly string[], keys: readonly string[]) => string

const insert: Text = (table, columns) =>
  `insert into ${table} (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`

const equal = (columns: readonly string[], separator: string): string =>
  columns.map((column) => `${column} = ?`).join(separator)

const texts: Readonly<Record<RowChange['change'], Text>> = {
  insert,
  insertNew: (table, columns) => `${insert(table, columns, [])} on conflict do nothing`,
  update: (table, columns, keys) => `update ${table} set ${equal(columns, ', ')} where ${equal(keys, ' and ')}`,
  delete: (table, columns) => `delete from ${table} where ${equal(columns, ' and ')}`,
}
