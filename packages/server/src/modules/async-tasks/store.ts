import { columnsOf } from '../../db/rows.ts'
import type { Knex } from 'knex'
import type { AsyncTaskResource, TaskError, TaskErrorCode, TaskState } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { expiredRows } from '../../engine/expired-rows/store.ts'
import { dayMs } from '../../kernel/clock.ts'

export type TaskRow = Omit<RowOf<'async_task'>, 'workspace_id'> & {
  readonly type: AsyncTaskResource['attributes']['type']
  readonly metadata: { readonly entity: string; readonly errors?: TaskError[] }
  readonly error_code: TaskErrorCode | null
}

const columns = columnsOf('async_task', 'workspace_id')

type NewTask = Pick<TaskRow, 'id' | 'user_id' | 'type' | 'metadata'> & { readonly now: number }

/** Inserts a task that has just been requested. */
export async function insertTask(tx: Tx, workspaceId: string, { now, ...given }: NewTask): Promise<TaskRow> {
  const row: TaskRow = {
    ...given,
    progress: 0,
    total: null,
    queued_at: now,
    started_at: null,
    completed_at: null,
    failed_at: null,
    error_code: null,
    updated_at: now,
  }
  await tx.insert('async_task', [{ workspace_id: workspaceId, ...row }])
  return row
}

const taskIn = ({ knex }: Sql, workspaceId: string): Knex.QueryBuilder =>
  knex('async_task')
    .select(...columns)
    .where('workspace_id', workspaceId)

export const findTask = async (tx: ReadTx, workspaceId: string, id: string): Promise<TaskRow | undefined> =>
  (await tx.query<TaskRow>((sql) => taskIn(sql, workspaceId).where('id', id)))[0]

/** Finds a task and locks it until the transaction ends. */
export const lockTask = async (tx: Tx, workspaceId: string, id: string): Promise<TaskRow | undefined> =>
  (await tx.query<TaskRow>((sql) => sql.dialect.locked(taskIn(sql, workspaceId).where('id', id), 'change')))[0]

export type TaskChanges = Partial<Omit<TaskRow, 'id' | 'user_id' | 'type' | 'queued_at' | 'updated_at'>>

export const updateTask = (tx: Tx, workspaceId: string, id: string, now: number, changes: TaskChanges): Promise<void> =>
  tx.updateByKey('async_task', ['workspace_id', 'id'], [{ workspace_id: workspaceId, id, ...changes, updated_at: now }])

const ended = ['completed_at', 'failed_at'] as const

/** States are not stored: they follow from the times and the error code. */
function inState(query: Knex.QueryBuilder, state: TaskState | undefined): Knex.QueryBuilder {
  if (state === 'completed') return query.whereNotNull('completed_at')
  if (state === 'cancelled') return query.where('error_code', 'cancelled')
  if (state === 'failed') return query.whereNotNull('failed_at').whereNot('error_code', 'cancelled')
  if (state === undefined) return query
  for (const column of ended) query.whereNull(column)
  return state === 'queued' ? query.whereNull('started_at') : query.whereNotNull('started_at')
}

/** The list of the tasks of a workspace, of those in a state where one is given. */
export const tasksIn = (workspaceId: string, state: TaskState | undefined): ListReader<TaskRow> =>
  shortList({
    from: ({ knex }) => inState(knex('async_task').where('workspace_id', workspaceId), state),
    columns,
    id: 'id',
  })

/** Tasks are kept for seven days after they were requested, and until they have ended. */
const keptMs = 7 * dayMs

/** Deletes expired tasks. */
export const taskUpkeep = expiredRows('async_task', {
  key: ['workspace_id', 'id'],
  expired: (rows, now) =>
    rows
      .where('queued_at', '<', now - keptMs)
      .where((either) => void either.whereNotNull('completed_at').orWhereNotNull('failed_at')),
  oldestBy: 'queued_at',
  batchMax: 500,
})
