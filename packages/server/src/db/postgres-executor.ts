import { createHash } from 'node:crypto'
import { channel } from 'node:diagnostics_channel'
import { LRUCache } from 'lru-cache'
import type { CustomTypesConfig, QueryResult } from 'pg'
import { handled } from '../lib/promises.ts'
import { type Executor, type Query, readsOfOneState, type RowChange, type WriteExecutor } from './executor.ts'
import type { OthersAtWork } from './others-at-work.ts'
import { PendingChanges } from './pending-changes.ts'
import { ofPostgres } from './postgres-errors.ts'
import { planByValues } from './postgres-plans.ts'
import { changeRows } from './postgres-rows.ts'
import { countedTypes } from './postgres-types.ts'
import { RowBytes } from './row-bytes.ts'
import type { TransactionState } from './transaction-state.ts'

/** Sends one named prepared statement; `party` says who asks, where turns are taken. */
export type Send = (query: {
  name: string
  text: string
  values: unknown[]
  party?: string | undefined
  types?: CustomTypesConfig
}) => Promise<QueryResult>

type Compiler = Pick<Executor, 'sql' | 'compiled' | 'nodes'>

/** Sends reads that share nothing but the pool: `small` those of one row, `heavy` and `scan` those marked as such. */
export function postgresReads(
  compiler: Compiler,
  { small, heavy, scan, other }: Readonly<Record<'small' | 'heavy' | 'scan' | 'other', Send>>,
): Omit<Executor, 'inOneState'> {
  const sendOf = (query: Query): Send => {
    if (query.heavy === 'scan') return scan
    return query.answer === 'row' && query.byValues !== true ? small : query.heavy === true ? heavy : other
  }
  return { ...compiler, send: (query) => handled(ask(sendOf(query), query)) }
}

type Transaction = Pick<WriteExecutor, 'published' | 'caches'> & {
  readonly send: Send
  readonly state: TransactionState
  /** Called when the statements of one turn of the event loop are sent, to send more behind them. */
  readonly behind: (() => void)[]
  /** Its statements are planned once. */
  readonly plansOnce: boolean
  /** Others that were seen at work, by any transaction of the database. */
  readonly others: OthersAtWork
}

/** Sends what has been changed and not sent yet. */
type Flush = { readonly flush: () => void }

/** Sends the statements of one transaction over its connection. */
export function postgresWrites(compiler: Compiler, transaction: Transaction): WriteExecutor & Flush {
  const { send, published, caches, state, behind, others } = transaction
  let { plansOnce } = transaction
  const pending = new PendingChanges()
  const run = (text: string): Promise<unknown> => ask(send, { text, values: [], answer: 'count' })
  const flush = (): void => {
    for (const statement of pending.take()) void state.track(() => ask(send, { ...statement, answer: 'count' }))
  }
  const savepoint = {
    set: () => run('savepoint attempt'),
    release: () => run('release savepoint attempt'),
    rollBack: () => Promise.all([run('rollback to savepoint attempt'), run('release savepoint attempt')]),
    forget: () => caches.clear(),
  }
  const executor: WriteExecutor & Flush = {
    ...compiler,
    published,
    caches,
    flush,
    inOneState: (work) => work(executor),
    send(command) {
      if (!('change' in command) || command.returning !== undefined) {
        flush()
        if (plansOnce && 'byValues' in command) {
          plansOnce = false
          void state.track(() => run(planByValues))
        }
        return state.track(() => ask(send, 'change' in command ? ofRows(command) : command))
      }
      // Its failure fails the statements after it, and the commit.
      return state.track(() => pending.add(command))
    },
    // Neither changes that wait nor a savepoint concern it.
    askBehind(question) {
      const reader = postgresReads(compiler, { small: send, heavy: send, scan: send, other: send })
      behind.push(() => question(readsOfOneState(reader)))
    },
    async isAlone() {
      if ((await executor.send({ text: selectOthers, values: [], answer: 'row' })) !== undefined) others.see()
      return others.areGone
    },
    attempt(work) {
      flush()
      return state.attempt(savepoint, async (inner) => {
        const own = postgresWrites(compiler, { ...transaction, state: inner, plansOnce })
        const value = await work(own)
        own.flush()
        return value
      })
    },
  }
  return executor
}

/** Sessions with a statement or a transaction under way, whichever process they belong to. */
const selectOthers = `select 1 as one from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and state <> 'idle' and pid <> pg_backend_pid()
  limit 1`

const ofRows = (change: RowChange): Query => ({ ...changeRows(change), answer: 'rows' })

/** Every statement as it is sent, for tools that watch them. */
const statements = channel('kontor:statement')

/** Sends a query, and returns what it asks for. */
export async function ask(send: Send, { text, values, answer, party, byValues }: Query): Promise<unknown> {
  if (statements.hasSubscribers) statements.publish({ text, byValues })
  try {
    const counted = answer === 'rows' ? { types: countedTypes(new RowBytes()) } : undefined
    const { rows, rowCount } = await send({ name: nameOf(text), text, values, party, ...counted })
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
