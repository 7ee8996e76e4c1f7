import type { Knex } from 'knex'
import type { RunStatus, Suppression, WorkflowResource, WorkflowStop } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { rowsByKeys } from '../../db/expressions.ts'
import { sliceInOrder, type Slice } from '../../db/in-order.ts'
import { columnsOf, rowsOf, rowsIn, readTotal } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import type { Owner } from '../identity/acting/index.ts'
import type { Spent } from '../plugins/index.ts'

/** Why a run or a step failed. */
export type RunError = { readonly code: string; readonly detail: string; readonly block_id: string | null }

/** The progress of a block that repeats a chain for each item of a list. */
type Loop = { readonly block: string; readonly done: number; readonly total: number }

/** Where a run is within its current block. */
export type Progress = {
  /** The number of the current step, from 0. */
  readonly step: number
  /** Attempts at it that failed. */
  readonly failures: number
  readonly failure?: RunError
  /** Resources that failed attempts have used up, at the steps before as well. */
  readonly spent?: Spent
  /** When it was first begun. */
  readonly since?: number
  /** For how long attempts at it that failed had waited for a place to compute in, where they were put off. */
  readonly queuedMs?: number
  /** Since when it has waited for such a place. */
  readonly queuedSince?: number
  /** It waits, until an instant if there is one, and for an event if its input is there. */
  readonly wait?: { readonly until: number | null; readonly asked?: Readonly<Record<string, unknown>> }
  /** The blocks that repeat a chain of others around the current one, the outermost first. */
  readonly loops?: readonly Loop[]
  /** Set once the event that it waited for has happened. */
  readonly woken?: { readonly event: unknown }
}

export type RunRow = Omit<RowOf<'workflow_run'>, 'workspace_id'> & {
  /** As whom it runs, and the id of that person or key: they and admins see what it has read. */
  readonly acting: Owner
  readonly acting_id: string
  readonly run_status: RunStatus
  readonly trigger_state: Readonly<Record<string, unknown>>
  readonly block_progress: Progress
  readonly suppressed_reason: Suppression | null
  readonly held_reason: WorkflowStop | null
  readonly failure: RunError | null
}

/** The columns of a list of runs: without the state of the trigger, which may be long. */
const summaryColumns = columnsOf(
  'workflow_run',
  'workspace_id',
  'revision',
  'is_enrolment',
  'trigger_state',
  'block_progress',
)

export type RunSummaryRow = Pick<RunRow, (typeof summaryColumns)[number]>

const columns = [
  ...summaryColumns,
  'revision',
  'is_enrolment',
  'trigger_state',
  'block_progress',
] as const satisfies readonly (keyof RunRow)[]

type Key = { readonly workspace_id: string; readonly id: string }

const runRows = rowsOf<RunRow>('workflow_run', columns)

export const findRun = runRows.find('workspace_id', 'id')

type Owned = {
  readonly type: WorkflowResource['attributes']['type']
  readonly enabled: boolean
  readonly actor: Owner
}

const owned = statement<Key, RunRow & Owned>(({ knex }) =>
  knex('workflow_run as r')
    .join('workflow as w', 'w.id', 'r.workflow_id')
    .select(...columns.map((column) => `r.${column}`), 'w.type', 'w.enabled', 'w.actor')
    .where({ 'r.workspace_id': param('workspace_id'), 'w.workspace_id': param('workspace_id'), 'r.id': param('id') }),
)

export type OwnedRun = {
  readonly run: RunRow
  readonly type: Owned['type']
  /** As whom its workflow runs by now. */
  readonly actorNow: Owner
  /** True if its workflow is. */
  readonly isEnabled: boolean
}

/** A run with its workflow; undefined if either is gone. */
export async function findOwnedRun(tx: ReadTx, workspaceId: string, id: string): Promise<OwnedRun | undefined> {
  const row = await tx.first(owned, { workspace_id: workspaceId, id })
  if (row === undefined) return undefined
  const { actor: actorNow, type, enabled: isEnabled, ...run } = row
  return { run, type, actorNow, isEnabled }
}

/** Locks a run until the transaction ends. */
export const lockRun = runRows.lock('change', 'workspace_id', 'id')

const openStatuses: readonly RunStatus[] = ['pending', 'running', 'waiting', 'retrying', 'held']

type OpenRuns = { readonly workflowId: string; readonly until: number; readonly max: number }

/** A run without what it was begun with, which may be long. */
export type SlimRun = Omit<RunRow, 'trigger_state'>

const slimColumns = columns.filter((column) => column !== 'trigger_state')

/** Locks some runs of a workflow that began up to an instant and have not ended. */
export const lockOpenRuns = (tx: Tx, workspaceId: string, { workflowId, until, max }: OpenRuns): Promise<SlimRun[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('workflow_run')
        .select(...slimColumns)
        .where({ workspace_id: workspaceId, workflow_id: workflowId })
        .whereIn('run_status', [...openStatuses])
        .where('created_at', '<=', until)
        .orderBy('id')
        .limit(max),
      'change',
    ),
  )

const newestOpen = statement<{ workspace_id: string; workflow_id: string }, { created_at: number | null }>(({ knex }) =>
  knex('workflow_run')
    .max('created_at as created_at')
    .where({ workspace_id: param('workspace_id'), workflow_id: param('workflow_id') })
    .whereIn('run_status', [...openStatuses]),
)

/** Finds when the newest run of a workflow that has not ended began, by the clock of the node that began it. */
export const newestOpenRun = async (tx: ReadTx, workspace_id: string, workflow_id: string): Promise<number> =>
  (await tx.first(newestOpen, { workspace_id, workflow_id }))?.created_at ?? 0

/** Locks some held runs of a workflow. */
export const lockHeldRuns = (tx: Tx, workspaceId: string, workflowId: string, max: number): Promise<SlimRun[]> =>
  tx.query(({ knex, dialect }) =>
    dialect.locked(
      knex('workflow_run')
        .select(...slimColumns)
        .where({ workspace_id: workspaceId, workflow_id: workflowId, run_status: 'held' })
        .orderBy('id')
        .limit(max),
      'change',
    ),
  )

export const insertRuns = rowsIn<RunRow, 'id'>('workflow_run', columns, 'id').insertAll

export type RunChanges = Partial<Omit<RunRow, 'id' | 'workflow_id' | 'revision' | 'created_at'>>

/** Stores the changes of a run that is locked. */
export const updateRunRow = (
  tx: Tx,
  workspaceId: string,
  { id, revision }: SlimRun,
  changes: RunChanges,
): Promise<void> =>
  tx.updateByKey(
    'workflow_run',
    ['workspace_id', 'id'],
    [{ workspace_id: workspaceId, id, ...changes, revision: revision + 1 }],
  )

type Expected = Key & { readonly revision: number }

const lockedAt = statement<Expected, { id: string }>((sql) =>
  sql.dialect.locked(
    sql
      .knex('workflow_run')
      .select('id')
      .where({ workspace_id: param('workspace_id'), id: param('id'), revision: param('revision') }),
    'change',
  ),
)

/** Locks a run that nothing else has changed since it was read; false if something has. */
export const holdRun = async (tx: Tx, workspaceId: string, { id, revision }: RunRow): Promise<boolean> =>
  (await tx.first(lockedAt, { workspace_id: workspaceId, id, revision })) !== undefined

type SoughtRuns = {
  readonly workspaceId: string
  readonly workflowId: string
  readonly status: RunStatus | undefined
  readonly recordId: string | undefined
  readonly actingId: string | undefined
}

const runsOf = (
  { knex }: Sql,
  { workspaceId, workflowId, status, recordId, actingId }: SoughtRuns,
): Knex.QueryBuilder => {
  const runs = knex('workflow_run').where({ workspace_id: workspaceId, workflow_id: workflowId })
  if (status !== undefined) runs.where('run_status', status)
  if (actingId !== undefined) runs.where('acting_id', actingId)
  return recordId === undefined ? runs : runs.where('record_id', recordId)
}

/** Larger pages are offloaded on SQLite, and so are those behind so many keys that passing over them takes longer. */
const lightRowsMax = 100
const shallowMax = 1000

/** A page of the runs of a workflow. Ids begin with the time of creation. */
export const listRuns = (tx: ReadTx, sought: SoughtRuns, descending: boolean, slice: Slice): Promise<RunSummaryRow[]> =>
  tx.query(
    (sql) => {
      // Rows before a position are read from it backwards.
      const direction = descending === (slice.beyond?.direction === 'before') ? 'asc' : 'desc'
      const keys = sliceInOrder(
        sql,
        runsOf(sql, sought).select('id'),
        { column: 'id', descending, isText: false },
        'id',
        slice,
      )
      const on = sql`p.workspace_id = ${sought.workspaceId} and p.id = s.id`
      return rowsByKeys(sql, keys, { table: 'workflow_run', columns: summaryColumns, on }).orderBy('p.id', direction)
    },
    { heavy: (slice.beyond === undefined && slice.offset > shallowMax) || slice.rows > lightRowsMax + 1 },
  )

export const countRuns = (tx: ReadTx, sought: SoughtRuns): Promise<number> =>
  readTotal(tx, (sql) => runsOf(sql, sought).count('* as total'))

type OfRecord = { readonly workspace_id: string; readonly workflow_id: string; readonly record_id: string }

const latestOfRecord = statement<OfRecord, { runs: number; latest: number | null }>(({ knex }) =>
  knex('workflow_run')
    .count('* as runs')
    .max('created_at as latest')
    .where({
      workspace_id: param('workspace_id'),
      workflow_id: param('workflow_id'),
      record_id: param('record_id'),
      dry_run: false,
    })
    .whereNull('suppressed_reason'),
)

/** Returns the number of runs of a workflow for a record, and when the last one began. */
export const runsOfRecord = async (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  recordId: string,
): Promise<{ runs: number; latest: number | null }> =>
  (await tx.first(latestOfRecord, { workspace_id: workspaceId, workflow_id: workflowId, record_id: recordId })) ?? {
    runs: 0,
    latest: null,
  }

/** The name of the counter of a workflow's runs. */
export const runsCounter = (workflowId: string): string => `runs/${workflowId}`
