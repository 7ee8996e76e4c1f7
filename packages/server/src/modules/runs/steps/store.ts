import type { StepStatus } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { finder, lister, rowsOf } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { RunError } from '../store.ts'

/** A step of a run that has ended. */
export type StepRow = Omit<RowOf<'workflow_step'>, 'workspace_id' | 'run_id'> & {
  readonly step_status: StepStatus
  readonly failure: RunError | null
  readonly logs: readonly string[]
  /** Variables in conditions that had no value, if any. */
  readonly unresolved: readonly string[] | null
}

/** The parts of a step that may be large. */
export type StepContents = Pick<StepRow, 'number' | 'input' | 'output' | 'logs'>

/** A step without its contents, and how large they are. */
export type StepHead = Omit<StepRow, keyof StepContents | 'output_bytes' | 'contents_bytes'> & {
  readonly number: number
  readonly bytes: number
}

/** The size of the output of a step. */
export type StepSize = { readonly number: number; readonly block: string; readonly bytes: number }

type OfRun = { readonly workspace_id: string; readonly run_id: string }

const headColumns = [
  'number',
  'block',
  'plugin',
  'step_status',
  'attempts',
  'failure',
  'unresolved',
  'started_at',
  'ended_at',
] as const satisfies readonly (keyof StepHead)[]

/** Steps that were stored before their sizes were are measured. */
const contentsBytes = (sql: Sql) =>
  sql`coalesce(contents_bytes, coalesce(length(cast(input as text)), 0) + coalesce(length(cast(output as text)), 0)
    + length(cast(logs as text))) as bytes`

/** Steps that a run shows at once. */
const headsMax = 1000

const heads = statement<OfRun, StepHead>((sql) =>
  sql
    .knex('workflow_step')
    .select(...headColumns, contentsBytes(sql))
    .where({ workspace_id: param('workspace_id'), run_id: param('run_id') })
    .orderBy('number', 'desc')
    .limit(headsMax),
)

/** The last steps of a run that have been stored, in order, without their contents. */
export const listStepHeads = async (tx: ReadTx, workspaceId: string, runId: string): Promise<StepHead[]> =>
  (await tx.all(heads, { workspace_id: workspaceId, run_id: runId })).toReversed()

/** One step of a run, without its contents. */
export const findStepHead = finder<[workspaceId: string, runId: string, number: number], StepHead>(
  (sql, workspaceId, runId, number) =>
    sql
      .knex('workflow_step')
      .select(...headColumns, contentsBytes(sql))
      .where({ workspace_id: workspaceId, run_id: runId, number }),
)

const outputBytes = (sql: Sql) => sql`coalesce(output_bytes, length(cast(output as text)), 0) as bytes`

/** The sizes of what the last step of each block of a run has left, in order. */
export const listLastSizes = lister<[workspaceId: string, runId: string], StepSize>((sql, workspaceId, runId) => {
  const ofRun = { workspace_id: workspaceId, run_id: runId }
  const last = sql.knex('workflow_step').max('number').where(ofRun).groupBy('block')
  return sql
    .knex('workflow_step')
    .select('number', 'block', outputBytes(sql))
    .where(ofRun)
    .whereIn('number', last)
    .orderBy('number')
})

/** The sizes of what the steps of a run have left, in order. */
export const listStepSizes = lister<[workspaceId: string, runId: string], StepSize>((sql, workspaceId, runId) =>
  sql
    .knex('workflow_step')
    .select('number', 'block', outputBytes(sql))
    .where({ workspace_id: workspaceId, run_id: runId })
    .orderBy('number'),
)

/** Returns the outputs of some steps of a run, by their numbers. */
export async function readOutputs(
  tx: ReadTx,
  workspaceId: string,
  runId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, unknown>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx.query<Pick<StepRow, 'number' | 'output'>>(({ knex }) =>
    knex('workflow_step')
      .select('number', 'output')
      .where({ workspace_id: workspaceId, run_id: runId })
      .whereIn('number', [...numbers]),
  )
  return new Map(rows.map(({ number, output }) => [number, output]))
}

/** The contents of some steps of a run, by their numbers. */
export async function readContents(
  tx: ReadTx,
  workspaceId: string,
  runId: string,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, StepContents>> {
  if (numbers.length === 0) return new Map()
  const rows = await tx.query<StepContents>(({ knex }) =>
    knex('workflow_step')
      .select('number', 'input', 'output', 'logs')
      .where({ workspace_id: workspaceId, run_id: runId })
      .whereIn('number', [...numbers]),
  )
  return new Map(rows.map((row) => [row.number, row]))
}

export const insertSteps = (tx: Tx, workspaceId: string, runId: string, rows: readonly StepRow[]): Promise<void> =>
  tx.insert(
    'workflow_step',
    rows.map((row) => ({ workspace_id: workspaceId, run_id: runId, ...row })),
  )

export const deleteStep = rowsOf<Pick<StepRow, 'number'>, OfRun>('workflow_step', ['number']).remove(
  'workspace_id',
  'run_id',
  'number',
)
