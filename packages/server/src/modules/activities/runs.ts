import { tupleAfter } from '../../db/expressions.ts'
import type { RowOf } from '../../db/columns.ts'
import type { ReadTx } from '../../db/tx.ts'
import type { Change } from '@kontor/contract'

const columns = ['created_at', 'record_id', 'position', 'place', 'id', 'type', 'object', 'diff'] as const

/** An event of a run of an agent. */
export type RunEvent = Pick<RowOf<'activity'>, (typeof columns)[number]> & { readonly diff: readonly Change[] }

const order = ['created_at', 'record_id', 'position', 'place'] as const

/** Where an event stands among those of its run. */
export type RunPosition = readonly (string | number)[]

export const runPositionOf = (event: RunEvent): RunPosition => order.map((column) => event[column])

/** Some events of a run before a position, the last one first. */
export const listEventsOfRun = (
  tx: ReadTx,
  { workspaceId, runId }: { readonly workspaceId: string; readonly runId: string },
  before: RunPosition | null,
  max: number,
): Promise<RunEvent[]> =>
  tx.query((sql) => {
    const events = sql
      .knex('activity')
      .select([...columns])
      .where({ workspace_id: workspaceId, run_id: runId })
      .orderBy(order.map((column) => ({ column, order: 'desc' })))
      .limit(max)
    return before === null ? events : events.where(tupleAfter(sql, [...order], [...before], 'before'))
  })
