import { deleteSome } from '../../../db/delete-some.ts'
import type { Knex } from 'knex'
import type { RunStatus, Sending } from '@kontor/contract'
import type { RowOf } from '../../../db/columns.ts'
import { recordsWithIds, rowsByKeys } from '../../../db/expressions.ts'
import { columnsOf, finder, readColumn } from '../../../db/rows.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { lettersOfRun } from '../../emails/index.ts'
import { deliveryOf, type Delivery } from './delivery.ts'
import { countChanges, type Counted } from './totals.ts'

/** A person of a sequence, with the run that goes on or else the last. */
export type RecipientRow = Omit<RowOf<'campaign_recipient'>, 'workspace_id'> & {
  readonly run_status: RunStatus
  readonly delivery: Delivery
}

export const recipientColumns = columnsOf('campaign_recipient', 'workspace_id')

/**
 * Some people of a sequence as a table `p`, looked up one by one in the order of their ids: of a sequence that has just
 * begun the planner knows nothing, and would read all of it.
 */
const among = (sql: Sql, workspaceId: string, workflowId: string, personIds: readonly string[]): Knex.QueryBuilder =>
  rowsByKeys(sql, sql.dialect.idTable(personIds.toSorted()), {
    table: 'campaign_recipient',
    columns: recipientColumns,
    on: sql`p.workspace_id = ${workspaceId} and p.workflow_id = ${workflowId} and p.person_id = s.id`,
  })

/** Locks those among some people who are in a sequence, until the transaction ends. */
export const lockRecipients = (
  tx: Tx,
  workspaceId: string,
  workflowId: string,
  personIds: readonly string[],
): Promise<RecipientRow[]> =>
  tx.query((sql) => sql.dialect.locked(among(sql, workspaceId, workflowId, personIds), 'change', 'p'))

/** Those among some people who are in a sequence. */
export const listRecipientsAmong = (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  personIds: readonly string[],
): Promise<RecipientRow[]> => tx.query((sql) => among(sql, workspaceId, workflowId, personIds))

/** Inserts people who are new to their sequence; returns the ones that no other transaction has inserted meanwhile. */
export const insertRecipients = (
  tx: Tx,
  workspaceId: string,
  rows: readonly RecipientRow[],
): Promise<Pick<RecipientRow, 'workflow_id' | 'person_id'>[]> =>
  tx.insertNew(
    'campaign_recipient',
    rows.map((row) => ({ workspace_id: workspaceId, ...row })),
    ['workflow_id', 'person_id'],
  )

/** Gives people who are locked another run. */
export const replaceRecipients = (tx: Tx, workspaceId: string, rows: readonly RecipientRow[]): Promise<void> =>
  tx.updateByKey(
    'campaign_recipient',
    ['workspace_id', 'workflow_id', 'person_id'],
    rows.map((row) => ({ workspace_id: workspaceId, ...row })),
  )

/** The columns of a run that the row of its recipient repeats. */
const repeated = [
  'run_status',
  'current_block',
  'resume_at',
  'exit_plugin',
  'exit_node',
  'started_at',
  'ended_at',
  'updated_at',
] as const satisfies readonly (keyof RecipientRow)[]

type Repeated = Partial<Pick<RecipientRow, (typeof repeated)[number]>>

/** A person in a sequence, as far as a change has to know them. */
type Place = Counted & { readonly person_id: string }

type OfRun = { readonly workspace_id: string; readonly run_id: string }

const lockedOfRun = statement<OfRun, Place>(({ knex, dialect }) =>
  dialect.locked(
    knex('campaign_recipient')
      .select('workflow_id', 'person_id', 'delivery', 'run_status', 'last_sent_at', 'hidden')
      .where({ workspace_id: param('workspace_id'), run_id: param('run_id') }),
    'change',
  ),
)

const goesOn = (status: RunStatus): boolean => deliveryOf(status) === 'active'

/** Repeats the changes of a run in the row of its person, unless that shows another run by now. */
export async function followRun(
  tx: Tx,
  at: WorkspaceNow,
  run: { readonly id: string; readonly run_status: RunStatus },
  changes: Repeated,
): Promise<void> {
  const kept = Object.fromEntries(repeated.flatMap((name) => (name in changes ? [[name, changes[name]]] : [])))
  if (Object.keys(kept).length === 0) return
  const key = { workspace_id: at.workspaceId, run_id: run.id }
  const { run_status = run.run_status } = changes
  // A recipient who is still in progress changes no counter: most steps end here.
  if (run_status === run.run_status || (goesOn(run_status) && goesOn(run.run_status))) {
    await tx.updateByKey('campaign_recipient', ['workspace_id', 'run_id'], [{ ...key, ...kept }])
    return
  }
  const row = await tx.first(lockedOfRun, key)
  if (row !== undefined) await updateRecipient(tx, at, row, { ...kept, delivery: deliveryOf(run_status) })
}

/** Changes a person who is locked. */
export async function updateRecipient(
  tx: Tx,
  at: WorkspaceNow,
  row: Place,
  changes: Partial<RecipientRow>,
): Promise<void> {
  const { workflow_id, person_id } = row
  const key = { workspace_id: at.workspaceId, workflow_id, person_id }
  await tx.updateByKey('campaign_recipient', ['workspace_id', 'workflow_id', 'person_id'], [{ ...changes, ...key }])
  await countChanges(tx, at, [{ before: row, after: { ...row, ...changes } }])
}

type Position = { readonly created_at: number; readonly person_id: string }

/** People of a sequence who are not at an end, behind a position, in the order in which they were enrolled. */
export const listActive = (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  after: Position,
  limit: number,
): Promise<Pick<RecipientRow, 'person_id' | 'run_id' | 'resume_at' | 'created_at'>[]> =>
  tx.query(({ knex }) =>
    knex('campaign_recipient')
      .select('person_id', 'run_id', 'resume_at', 'created_at')
      .where({ workspace_id: workspaceId, workflow_id: workflowId, hidden: false, delivery: 'active' })
      .where((beyond: Knex.QueryBuilder) => {
        beyond.where('created_at', '>', after.created_at)
        beyond.orWhere(
          (same) => void same.where('created_at', after.created_at).where('person_id', '>', after.person_id),
        )
      })
      .orderBy(['created_at', 'person_id'])
      .limit(limit),
  )

/** Removes some people of a sequence; returns how many. */
export const removeRecipients = (tx: Tx, workspaceId: string, workflowId: string, rowsMax: number): Promise<number> =>
  deleteSome(tx, workspaceId, {
    table: 'campaign_recipient',
    key: ['workflow_id', 'person_id'],
    column: 'workflow_id',
    values: [workflowId],
    rowsMax,
  })

/** Those of some people who are not deleted; none of them is until the transaction ends. */
export async function keepPeople(tx: Tx, workspaceId: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set()
  return new Set(
    await readColumn(tx, (sql) =>
      sql.dialect.locked(
        sql.knex
          .select('r.id')
          .from(recordsWithIds(sql, ids.toSorted(), workspaceId))
          .whereNull('r.deleted_at'),
        'keep',
        'r',
      ),
    ),
  )
}

type OfCampaign = { readonly workspace_id: string; readonly workflow_id: string }

const held = statement<OfCampaign, { workflow_id: string }>(({ knex, dialect }) =>
  dialect.locked(
    knex('campaign')
      .select('workflow_id')
      .where({ workspace_id: param('workspace_id'), workflow_id: param('workflow_id') }),
    'change',
  ),
)

/** Lets one transaction at a time take places or addresses in a campaign: two would not see what the other takes. */
export async function holdCampaign(tx: Tx, key: OfCampaign): Promise<void> {
  if ((await tx.first(held, key)) !== undefined) return
  const row = { workspace_id: key.workspace_id, ...plainCampaign(key.workflow_id) }
  if ((await tx.insertNew('campaign', [row], ['workflow_id'])).length === 0) await tx.first(held, key)
}

/** A person who has an address in a sequence. */
type Holder = { readonly address: string; readonly person_id: string }

/**
 * The people of a sequence who have some addresses, so that no one else is written to at them: those who are under way,
 * and those who have had a letter. Addresses are looked up one by one, as people are (`among`).
 */
export const listHolders = (
  tx: ReadTx,
  workspaceId: string,
  workflowId: string,
  addresses: readonly string[],
): Promise<Holder[]> =>
  tx.query((sql) => {
    const { knex, dialect } = sql
    const letters = lettersOfRun(sql, workspaceId, knex.ref('c.run_id'))
    return knex
      .select('c.address', 'c.person_id')
      .from(
        dialect.lookUp(
          dialect.idTable(addresses.toSorted(), 'text'),
          'campaign_recipient',
          'c',
          sql`c.workspace_id = ${workspaceId} and c.workflow_id = ${workflowId} and c.address = s.id`,
        ),
      )
      .whereNot('c.run_status', 'suppressed')
      .where((holds) => void holds.whereNot('c.delivery', 'failed').orWhereExists(letters))
  })

/** The person whom a run enrols, and their address; undefined of any other run. */
export const findEnrolled = finder<
  [workspaceId: string, runId: string],
  Pick<RecipientRow, 'workflow_id' | 'person_id' | 'address'>
>(({ knex }, workspaceId, runId) =>
  knex('campaign_recipient')
    .select('workflow_id', 'person_id', 'address')
    .where({ workspace_id: workspaceId, run_id: runId }),
)

/** The row of a campaign beside its workflow. */
export type CampaignRow = Omit<RowOf<'campaign'>, 'workspace_id'> & { readonly sending: Sending }

/** Returns the row of a campaign that was created as a workflow. */
export const plainCampaign = (workflowId: string): CampaignRow => ({
  workflow_id: workflowId,
  sending: { daily_cap: null, per_domain_per_minute: null, window: null },
  ends_on_reply: true,
  enrolment_task_id: null,
})
