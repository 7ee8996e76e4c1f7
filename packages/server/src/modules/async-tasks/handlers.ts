import { asyncTasks, type taskSortColumns } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { CursorPages } from '../../kernel/cursor-pages.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { requestedOrder } from '../../kernel/requested-order.ts'
import { presentTask, stateOf } from './present.ts'
import { countTasks, findTask, listTasks, lockTask, type TaskColumn, type TaskRow } from './store.ts'

/** Undoes what a task has prepared; false if it is too late for that. The task is locked. */
export type Cancel = (ctx: WriteContext, task: TaskRow) => Promise<boolean>

/** The database columns that tasks are sorted by. */
const columns: Readonly<Record<(typeof taskSortColumns)[number], TaskColumn>> = {
  queued_at: 'queued_at',
  started_at: 'started_at',
  completed_at: 'completed_at',
  failed_at: 'failed_at',
  progress: 'progress',
  _created_at: 'queued_at',
  _updated_at: 'updated_at',
}

const unknown = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no task with this id.' })

/** The handlers; the modules that run tasks supply how to cancel each type. */
export const asyncTaskHandlers = (cancels: Readonly<Record<TaskRow['type'], Cancel>>) =>
  implement(asyncTasks, {
    async list(ctx, { workspace, page, sortOrder, filter }) {
      const { workspaceId } = ctx.workspace
      const order = requestedOrder(ctx, sortOrder, columns, { column: 'id', descending: true })
      const url = `${ctx.baseUrl}/workspaces/${workspace}/async-tasks`
      const pages = new CursorPages(ctx, page, { url, order, query: { sortOrder, filter } })
      const [found, total] = await Promise.all([
        listTasks(ctx.tx, workspaceId, filter?.state, order, pages.part),
        countTasks(ctx.tx, workspaceId, filter?.state),
      ])
      const { rows, ...envelope } = pages.envelope(found, total, (row) => ({ value: row[order.column], id: row.id }))
      return { body: { data: rows.map((row) => presentTask(row, ctx)), ...envelope } }
    },

    async get(ctx, { id }) {
      const row = isId(id) ? await findTask(ctx.tx, ctx.workspace.workspaceId, id) : undefined
      if (row === undefined) throw unknown(ctx)
      return { body: { data: presentTask(row, ctx) } }
    },

    async cancel(ctx, { id }) {
      const { workspaceId } = ctx.workspace
      const row = isId(id) ? await findTask(ctx.tx, workspaceId, id) : undefined
      if (row === undefined) throw unknown(ctx)
      const running = ['queued', 'running'].includes(stateOf(row))
      const cancelled = running && (await cancels[row.type](ctx, row))
      return {
        body: { data: presentTask(cancelled ? defined(await lockTask(ctx.tx, workspaceId, id)) : row, ctx) },
      }
    },
  })
