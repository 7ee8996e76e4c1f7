import { columnsOf, rowsIn, readColumn } from '../../db/rows.ts'
import type { Knex } from 'knex'
import type { AsyncTaskResource, TaskError, TaskErrorCode, TaskState } from '@kontor/contract'
import type { RowOf, TableName } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import type { Tx, ReadTx } from '../../db/tx.ts'
import { expiredRows } from '../../engine/expired-rows/store.ts'
import { dayMs, type WorkspaceNow } from '../../kernel/clock.ts'
import { workspacesOf } from '../../db/workspaces.ts'

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

const tasks = rowsIn<TaskRow, 'id'>('async_task', columns, 'id')

export const findTask = tasks.find

/** Finds a task and locks it until the transaction ends. */
export const lockTask = tasks.lock('change')

export type TaskChanges = Partial<Omit<TaskRow, 'id' | 'user_id' | 'type' | 'queued_at' | 'updated_at'>>

export const updateTask = (tx: Tx, workspaceId: string, id: string, now: number, changes: TaskChanges): Promise<void> =>
  tasks.update(tx, workspaceId, id, { ...changes, updated_at: now })

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

/** An end of a task: by itself, cancelled, or with the code of an error. */
type TaskEnding =
  | { readonly state: 'completed' | 'cancelled' }
  | { readonly state: 'failed'; readonly code: TaskErrorCode }

/** Ends a task; one that is deleted already stays so. */
export async function endTask(
  tx: Tx,
  { workspaceId, now }: WorkspaceNow,
  id: string,
  ending: TaskEnding,
): Promise<void> {
  if ((await lockTask(tx, workspaceId, id)) === undefined) return
  const error_code = ending.state === 'failed' ? ending.code : 'cancelled'
  const changes = ending.state === 'completed' ? { completed_at: now } : { failed_at: now, error_code }
  await updateTask(tx, workspaceId, id, now, changes)
}

/** Work that a task of the same id shows. */
type WorkRow = Readonly<Record<string, unknown>> & { readonly id: string }

/** The rows of work that a caller may see, narrowed by state and by the object of their records. */
type WorkFilter = {
  readonly workspaceId: string
  readonly createdBy: string | undefined
  readonly state: string | undefined
  /** The objects that the credential covers; undefined: all. */
  readonly objects?: readonly string[] | undefined
}

/** The order of lists of work. */
export const workSorting = {
  columns: { _created_at: 'created_at', ended_at: 'ended_at' },
  otherwise: { column: 'id', descending: true },
} as const

/** Makes the functions that read and write rows of work that tasks of the same ids show, and that are kept a while. */
export function workRows<Row extends WorkRow>(table: TableName, names: readonly (keyof Row & string)[]) {
  const expired = (knex: Knex, before: number): Knex.QueryBuilder => knex(table).where('ended_at', '<', before)
  const { lock, ...rows } = rowsIn<Row, 'id'>(table, names, 'id')
  return {
    ...rows,
    lock: lock('change'),

    /** The list of the rows that a caller may see. */
    among: ({ workspaceId, createdBy, state, objects }: WorkFilter): ListReader<Row> =>
      shortList({
        from({ knex }) {
          const query = knex(table).where('workspace_id', workspaceId)
          if (createdBy !== undefined) query.where('created_by', createdBy)
          if (objects !== undefined) query.whereIn('object', objects)
          return state === undefined ? query : query.where('state', state)
        },
        columns: names,
        id: 'id',
      }),

    /** Lists the workspaces with rows that ended before an instant. */
    listExpiring: (tx: ReadTx, before: number): Promise<string[]> =>
      workspacesOf(tx, ({ knex }) => expired(knex, before)),

    /** Lists the ids of some rows that ended before an instant. */
    listExpired: (tx: ReadTx, workspaceId: string, before: number, max: number): Promise<string[]> =>
      readColumn(tx, ({ knex }) => expired(knex, before).select('id').where('workspace_id', workspaceId).limit(max)),
  }
}

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
