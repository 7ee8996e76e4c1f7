import type { bounceKinds, emailStates } from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../db/columns.ts'
import { compare, findsRow, isLive } from '../../db/expressions.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { rowsOf } from '../../db/rows.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesIn } from '../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'
import type { Actor } from '../../kernel/actor.ts'
import { dayMs } from '../../kernel/clock.ts'
import { whereVisible, type Principal } from '../access/index.ts'
import { attachedRows } from '../records/index.ts'
import { findSettings } from '../settings/index.ts'

export type EmailRow = RowOf<'email'> & {
  readonly email_state: (typeof emailStates)[number]
  readonly actor: Actor
  readonly recipients: readonly string[]
  /** Recipients that may not be written to. */
  readonly left_out: readonly string[]
  /** Those of several recipients whose copy the mail server has taken. */
  readonly reached: readonly string[]
  readonly bounce: (typeof bounceKinds)[number] | null
  readonly files: readonly LetterFile[]
}

/** A file that a letter carries: an attachment, as it was when the letter was written. */
export type LetterFile = Pick<RowOf<'file'>, 'id' | 'name' | 'mime_type'> & { readonly size_bytes: number }

/** A letter without what it says, which may be long. */
export type EmailHead = Omit<EmailRow, 'body_text' | 'body_html'>

type EmailKey = Pick<EmailRow, 'workspace_id' | 'id'>

const headColumns = [
  'workspace_id',
  'id',
  'letter_key',
  'email_state',
  'in_sequence',
  'person_id',
  'workflow_id',
  'run_id',
  'block',
  'actor',
  'recipients',
  'left_out',
  'reached',
  'sender',
  'message_id',
  'subject',
  'files',
  'failure_detail',
  'bounce',
  'opens',
  'clicks',
  'machine_opens',
  'machine_clicks',
  'created_at',
  'sent_at',
  'opened_at',
  'clicked_at',
  'machine_opened_at',
  'machine_clicked_at',
  'replied_at',
  'bounced_at',
  'unsubscribed_at',
  'updated_at',
] as const satisfies readonly (keyof EmailHead)[]

const letters = rowsOf<EmailHead>('email', headColumns)

export const findEmail = letters.find('workspace_id', 'id')

/** A letter, locked until the transaction ends. */
export const lockEmail = letters.lock('change', 'workspace_id', 'id')

/** The letter that was sent under a key, locked until the transaction ends. */
export const lockKeyed = letters.lock('change', 'workspace_id', 'letter_key')

/** Inserts a letter; false if one was sent under its key before. */
export const insertEmail = async (tx: Tx, row: EmailRow): Promise<boolean> =>
  (await tx.insertNew('email', [row], ['id'])).length > 0

export const updateEmail = (tx: Tx, row: EmailKey & Partial<EmailRow>): Promise<void> =>
  tx.updateByKey('email', ['workspace_id', 'id'], [row])

/** Of letters that a mail server has taken, or that are kept where there is none. */
export const acceptedStates = ['sent', 'kept'] as const satisfies readonly EmailRow['email_state'][]

export type AcceptedState = (typeof acceptedStates)[number]

type Accepted = EmailKey & { readonly email_state: AcceptedState; readonly now: number }

const accepted = statement<Accepted, never>(({ knex }) =>
  knex('email')
    .update({
      email_state: param('email_state'),
      failure_detail: null,
      sent_at: param('now'),
      updated_at: param('now'),
    })
    .where({ workspace_id: param('workspace_id'), id: param('id') })
    .whereNotIn('email_state', acceptedStates),
)

const sentByRun = statement<Pick<EmailRow, 'workspace_id' | 'run_id'>, Pick<EmailRow, 'id'>>(({ knex }) =>
  knex('email')
    .select('id')
    .where({ workspace_id: param('workspace_id'), run_id: param('run_id') })
    .whereIn('email_state', acceptedStates)
    .limit(1),
)

/** Returns whether the run that wrote a letter has sent one. */
export const hasSent = async (tx: ReadTx, { workspace_id, run_id }: EmailHead): Promise<boolean> =>
  run_id !== null && (await tx.first(sentByRun, { workspace_id, run_id })) !== undefined

/** Stores that a letter was accepted; false if that is known, or the letter is gone. */
export const acceptEmail = async (tx: Tx, row: Accepted): Promise<boolean> => (await tx.run(accepted, row)) > 0

const person = statement<{ workspace_id: string; id: string }, { id: string }>((sql) =>
  sql.dialect.locked(
    sql
      .knex('record')
      .select('id')
      .where({ workspace_id: param('workspace_id'), id: param('id') })
      .where(isLive(sql, 'record')),
    'change',
  ),
)

/** Locks the record of a person until the transaction ends; false if it is deleted. */
export const lockPerson = async (tx: Tx, workspaceId: string, id: string): Promise<boolean> =>
  (await tx.first(person, { workspace_id: workspaceId, id })) !== undefined

/**
 * The letters that a caller may see: those to people whom they see, and those to no record as the runs that wrote them
 * are seen: of runs as the caller, or as any where `actingId` is undefined.
 */
type EmailView = {
  readonly workspaceId: string
  readonly principal: Principal
  readonly actingId: string | undefined
  readonly filter: EmailFilter
}

type EmailFilter = {
  readonly person?: string | undefined
  readonly workflow?: string | undefined
  readonly run?: string | undefined
  readonly state?: EmailRow['email_state'] | undefined
}

function viewed(
  sql: Sql,
  query: Knex.QueryBuilder,
  { workspaceId, principal, actingId, filter }: EmailView,
): Knex.QueryBuilder {
  const seen = whereVisible(
    sql,
    sql
      .knex('record as r')
      .select('r.id')
      .where({ 'r.workspace_id': workspaceId, 'r.id': sql.knex.ref('e.person_id') })
      .where(isLive(sql, 'r')),
    'r',
    principal,
  )
  const wanted = {
    'e.person_id': filter.person,
    'e.workflow_id': filter.workflow,
    'e.run_id': filter.run,
    'e.email_state': filter.state,
  }
  query.where('e.workspace_id', workspaceId)
  for (const [column, value] of Object.entries(wanted)) if (value !== undefined) query.where(column, value)
  const is = (member: 'userId' | 'keyId') =>
    compare(sql, sql.dialect.jsonText('e.actor', [member]), '=', actingId ?? '')
  return query.where((either) => {
    either.where(findsRow(sql, seen))
    either.orWhere((toNoRecord) => {
      toNoRecord.whereNull('e.person_id')
      if (actingId !== undefined) toNoRecord.where((written) => void written.where(is('userId')).orWhere(is('keyId')))
    })
  })
}

/** The list of the e-mails that a caller may see. */
export const emailsIn = (view: EmailView): ListReader<EmailHead> =>
  shortList({
    from: (sql) => viewed(sql, sql.knex('email as e'), view),
    columns: headColumns.map((name) => `e.${name}`),
    id: 'e.id',
    isHeavy: ({ column }, { offset, beyond }) => offset > 0 || beyond !== undefined || column !== 'e.created_at',
  })

/** A letter that the caller may see. */
export async function findSeen(tx: ReadTx, view: EmailView, id: string): Promise<EmailRow | undefined> {
  const rows = await tx.query<EmailRow>((sql) =>
    viewed(
      sql,
      sql
        .knex('email as e')
        .select([...headColumns, 'body_text', 'body_html'].map((name) => `e.${name}`))
        .where('e.id', id),
      view,
    ),
  )
  return rows[0]
}

export const emailsOfRecords = attachedRows({ table: 'email', column: 'person_id', path: 'emails' })

const lettersAtOnce = 500

/** Deletes the letters that are older than their workspace wants. */
export const emailUpkeep: WorkspaceUpkeep = {
  due: (tx) => workspacesIn(tx, 'email'),
  async batch(tx, workspaceId, now) {
    const { email_retention_days: days } = await findSettings(tx, workspaceId)
    const rows = await tx.query<EmailKey>(({ knex }) =>
      knex('email')
        .select('workspace_id', 'id')
        .where('workspace_id', workspaceId)
        .where('created_at', '<', now - days * dayMs)
        .orderBy('created_at')
        .limit(lettersAtOnce),
    )
    await tx.deleteByKey('email', rows)
    return rows.length === lettersAtOnce
  },
}

/** Selects the letters that a run, named by a column of another table, has written: one that is in doubt counts. */
export const lettersOfRun = ({ knex }: Sql, workspaceId: string, runId: Knex.Ref<string, object>): Knex.QueryBuilder =>
  knex('email as e')
    .select('e.id')
    .where({ 'e.workspace_id': workspaceId, 'e.run_id': runId })
    .whereIn('e.email_state', ['sending', 'sent', 'kept'])
