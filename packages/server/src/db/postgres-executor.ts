import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { LRUCache } from 'lru-cache'
import type { QueryResult } from 'pg'
import { handled } from '../lib/handled.ts'
import type { Executor, Query, RowChange, WriteExecutor } from './executor.ts'
import type { Topic } from './published-topics.ts'
import { ofPostgres } from './postgres-errors.ts'
import { changeRows } from './postgres-rows.ts'
import type { Sql } from './sql.ts'
import type { StatementCache } from './statement.ts'
import type { TransactionState } from './transaction-state.ts'

/** Sends one named prepared statement. */
export type Send = (query: { name: string; text: string; values: unknown[] }) => Promise<QueryResult>

type Compiler = { readonly sql: Sql; readonly compiled: StatementCache }

/** Sends reads that share nothing but the pool: `small` those of one row, `heavy` those marked as offloaded. */
export function postgresReads(
  compiler: Compiler,
  { small, heavy, other }: { readonly small: Send; readonly heavy: Send; readonly other: Send },
): Executor {
  const sendOf = (query: Query): Send => (query.answer === 'row' ? small : query.heavy === true ? heavy : other)
  return { ...compiler, send: (query) => handled(ask(sendOf(query), query)) }
}

type Transaction = { readonly send: Send; readonly published: Set<Topic>; readonly state: TransactionState }

/** Sends the statements of one transaction over its connection. */
export function postgresWrites(compiler: Compiler, transaction: Transaction): WriteExecutor {
  const { send, published, state } = transaction
  const run = (text: string): Promise<unknown> => ask(send, { text, values: [], answer: 'count' })
  const savepoint = {
    set: () => run('savepoint attempt'),
    release: () => run('release savepoint attempt'),
    rollBack: () => Promise.all([run('rollback to savepoint attempt'), run('release savepoint attempt')]),
  }
  return {
    ...compiler,
    published,
    send: (command) => state.track(() => ask(send, 'change' in command ? ofRows(command) : command)),
    attempt: (work) =>
      state.attempt(savepoint, (inner) => work(postgresWrites(compiler, { ...transaction, state: inner }))),
  }
}

const ofRows = (change: RowChange): Query => ({ ...changeRows(change), answer: 'rows' })

/** Every statement as it is sent, for tools that watch them. */
const statements = channel('kontor:statement')

async function ask(send: Send, { text, values, answer }: Query): Promise<unknown> {
  if (statements.hasSubscribers) statements.publish({ text })
  try {
    const { rows, rowCount } = await send({ name: nameOf(text), text, values })
    return answer === 'rows' ? rows : answer === 'row' ? rows[0] : (rowCount ?? 0)
  } catch (error) {
    throw ofPostgres(error)
  }
}

// A name is made of its text alone, whichever database it goes to.
// oxlint-disable-next-line kontor/module-state
const statementNames = new LRUCache<string, string>({ max: 2000 })

/** Derives the name of a prepared statement from its text; each connection prepares it once. */
function nameOf(text: string): string {
  let name = statementNames.get(text)
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url').slice(0, 32)
    statementNames.set(text, name)
  }
  return name
}
