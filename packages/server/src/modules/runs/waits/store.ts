import type { RowOf } from '../../../db/columns.ts'
import { rowsOf, rowsIn } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'

/** An event that a run waits for, or that ends it: of any record, or of one. */
export type WaitRow = Omit<RowOf<'workflow_wait'>, 'workspace_id'>

const columns = ['run_id', 'node', 'is_exit', 'plugin', 'record_id'] as const satisfies readonly (keyof WaitRow)[]

const waits = rowsOf<WaitRow>('workflow_wait', columns)

export const deleteWaits = waits.remove('workspace_id', 'run_id')

export const deleteWait = waits.remove('workspace_id', 'run_id', 'node')

export const insertWaits = rowsIn<WaitRow, 'run_id'>('workflow_wait', columns, 'run_id').insertAll

/** Lets a run wait for another record in the place of one. */
export const moveWaits = async (
  tx: Tx,
  workspaceId: string,
  runId: string,
  { from, to }: { readonly from: string; readonly to: string },
): Promise<void> =>
  void (await tx.change(({ knex }) =>
    knex('workflow_wait')
      .where({ workspace_id: workspaceId, run_id: runId, record_id: from })
      .update({ record_id: to }),
  ))

/** Returns the waits of runs for one of some records, or from any, by the plugins that stand for the events. */
export const listWaits = (
  tx: ReadTx,
  workspaceId: string,
  plugins: readonly string[],
  recordIds: readonly string[],
): Promise<WaitRow[]> =>
  tx.query(({ knex, dialect }) =>
    knex('workflow_wait')
      .select(...columns)
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('plugin', plugins, 'text'))
      .where((either) => void either.whereNull('record_id').orWhere(dialect.oneOf('record_id', recordIds))),
  )

const plugins = statement<{ workspace_id: string }, { plugin: string }>(({ knex }) =>
  knex('workflow_wait')
    .distinct('plugin')
    .where({ workspace_id: param('workspace_id') }),
)

/** The plugins that any run of a workspace waits for. */
export const listAwaited = async (tx: ReadTx, workspaceId: string): Promise<string[]> =>
  (await tx.all(plugins, { workspace_id: workspaceId })).map(({ plugin }) => plugin)
