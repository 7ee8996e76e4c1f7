import type { Sql } from '../../../db/sql.ts'
import type { Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'
import { newId } from '../../../kernel/ids.ts'
import { addToCounts } from '../../counters/index.ts'
import { runsCounter } from '../store.ts'
import type { WorkflowKinds } from '../kinds.ts'

type Found = { readonly id: string; readonly workflow_id: string }

async function remove(tx: Tx, workspaceId: string, kinds: WorkflowKinds, runs: readonly Found[]): Promise<void> {
  const ids = runs.map(({ id }) => id)
  const rows = ids.map((id) => ({ workspace_id: workspaceId, run_id: id }))
  await Promise.all([
    tx.deleteByKey('workflow_step', rows),
    tx.deleteByKey('workflow_wait', rows),
    ...kinds.map(({ dependent }) => dependent?.removed?.(tx, workspaceId, ids)),
    tx.deleteByKey(
      'workflow_run',
      ids.map((id) => ({ workspace_id: workspaceId, id })),
    ),
  ])
}

/** Removes some runs of a workflow; returns how many. */
export async function removeRuns(
  tx: Tx,
  workspaceId: string,
  kinds: WorkflowKinds,
  { workflowId, max }: { readonly workflowId: string; readonly max: number },
): Promise<number> {
  const runs = await tx.query<Found>(({ knex }) =>
    knex('workflow_run')
      .select('id', 'workflow_id')
      .where({ workspace_id: workspaceId, workflow_id: workflowId })
      .limit(max),
  )
  await remove(tx, workspaceId, kinds, runs)
  return runs.length
}

/** The time for which a run that has ended can be read. */
const keptMs = 90 * 24 * 3_600_000
const batchMax = 200

const expired = (sql: Sql, workspaceId: string | undefined, now: number) => {
  const runs = sql
    .knex('workflow_run')
    .whereNotNull('ended_at')
    .where('ended_at', '<', now - keptMs)
  return workspaceId === undefined ? runs : runs.where('workspace_id', workspaceId)
}

/** Prunes runs that ended long ago. */
export const runUpkeep = (kinds: WorkflowKinds): WorkspaceUpkeep => ({
  due: (tx, now) => workspacesOf(tx, (sql) => expired(sql, undefined, now)),
  async batch(tx, workspaceId, now) {
    const runs = await tx.query<Found>((sql) =>
      expired(sql, workspaceId, now).select('id', 'workflow_id').orderBy('ended_at').limit(batchMax),
    )
    await remove(tx, workspaceId, kinds, runs)
    const counts = Map.groupBy(runs, ({ workflow_id }) => runsCounter(workflow_id))
    await addToCounts(tx, workspaceId, new Map([...counts].map(([name, gone]) => [name, -gone.length])), () =>
      newId(now),
    )
    return runs.length === batchMax
  },
})
