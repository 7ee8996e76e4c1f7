import { asyncTasks, taskSortColumns } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { isId } from '../../kernel/ids.ts'
import { implement, type WorkspaceReadContext, type WriteContext } from '../../kernel/implement.ts'
import { growingPage } from '../../kernel/short-page.ts'
import { presentTask, stateOf } from './present.ts'
import { findTask, lockTask, tasksIn, type TaskRow } from './store.ts'
import { sortedColumns } from '../../kernel/requested-order.ts'

/** Undoes what a task has prepared; false if it is too late for that. The task is locked. */
export type Cancel = (ctx: WriteContext, task: TaskRow) => Promise<boolean>

const sorting = {
  columns: { ...sortedColumns(taskSortColumns), _created_at: 'queued_at' },
  otherwise: { column: 'id', descending: true },
} as const

const unknown = (ctx: WorkspaceReadContext) => ctx.fail('not_found', { detail: 'There is no task with this id.' })

/** The handlers; the modules that run tasks supply how to cancel each type. */
export const asyncTaskHandlers = (cancels: Readonly<Record<TaskRow['type'], Cancel>>) =>
  implement(asyncTasks, {
    async list(ctx, input) {
      const read = tasksIn(ctx.workspace.workspaceId, input.filter?.state)
      const { rows, ...envelope } = await growingPage(ctx, asyncTasks.list, input, { ...sorting, read })
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
