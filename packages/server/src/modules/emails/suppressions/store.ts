import { columnsOf, readColumn } from '../../../db/rows.ts'
import type { suppressionReasons } from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { findsRow, isLive } from '../../../db/expressions.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { whereVisible, type Principal } from '../../access/index.ts'

export type SuppressionRow = RowOf<'suppression'> & { readonly reason: (typeof suppressionReasons)[number] }

const columns = columnsOf('suppression')

/** The suppressions of a workspace among some addresses and people. */
export type Suppressed = {
  readonly addresses: ReadonlySet<string>
  /** Those of the addresses whose reader asked for no more: who has one of them is written to at no other either. */
  readonly unsubscribed: ReadonlySet<string>
  readonly people: ReadonlySet<string>
}

type Among = { readonly addresses: readonly string[]; readonly people: readonly string[] }

type AmongIn = Among & { readonly workspace_id: string }

/** Each letter asks these, so they are prepared. */
const suppressedAmong = statement<AmongIn, Pick<SuppressionRow, 'address' | 'person_id' | 'reason'>>(
  ({ knex, dialect }) =>
    knex('suppression')
      .select('address', 'person_id', 'reason')
      .where('workspace_id', param('workspace_id'))
      .where((either) => {
        either.where(dialect.oneOf('address', param('addresses'), 'text'))
        either.orWhere(dialect.oneOf('person_id', param('people')))
      }),
)

/** The unique values of people that are addresses. */
const addressField = 'person.email_addresses'

const ofSuppressedPeople = statement<Omit<AmongIn, 'people'>, { key_value: string }>(({ knex, dialect }) =>
  knex('unique_key as u')
    .join('suppression as s', (on) => on.on('s.workspace_id', 'u.workspace_id').on('s.person_id', 'u.record_id'))
    .select('u.key_value')
    .where({
      'u.workspace_id': param('workspace_id'),
      's.workspace_id': param('workspace_id'),
      'u.field': addressField,
    })
    .where(dialect.oneOf('u.key_value', param('addresses'), 'text')),
)

export async function findSuppressed(
  tx: ReadTx,
  workspaceId: string,
  { addresses, people }: Among,
): Promise<Suppressed> {
  const rows = await tx.all(suppressedAmong, { workspace_id: workspaceId, addresses, people })
  return {
    addresses: new Set(rows.map(({ address }) => address)),
    unsubscribed: new Set(rows.flatMap(({ address, reason }) => (reason === 'unsubscribed' ? [address] : []))),
    people: new Set(rows.flatMap(({ person_id }) => person_id ?? [])),
  }
}

/** Which of the recipients of a letter may not be written to; of one to a person, all or none are theirs. */
export async function listRefused(
  tx: ReadTx,
  workspaceId: string,
  recipients: readonly string[],
  personId: string | null,
): Promise<Set<string>> {
  const of = { addresses: recipients, people: personId === null ? [] : [personId] }
  const [{ addresses, people }, theirs] = await Promise.all([
    findSuppressed(tx, workspaceId, of),
    personId === null ? tx.all(ofSuppressedPeople, { workspace_id: workspaceId, addresses: recipients }) : [],
  ])
  if (personId !== null) return new Set(people.has(personId) ? recipients : addresses)
  return new Set([...addresses, ...theirs.map(({ key_value }) => key_value)])
}

const holder = statement<{ workspace_id: string; address: string }, { record_id: string }>(({ knex }) =>
  knex('unique_key')
    .select('record_id')
    .where({ workspace_id: param('workspace_id'), field: addressField, key_value: param('address') }),
)

/** The person who has an address, where no other may have it. */
export const findHolder = async (tx: ReadTx, workspaceId: string, address: string): Promise<string | null> =>
  (await tx.first(holder, { workspace_id: workspaceId, address }))?.record_id ?? null

/**
 * Waits for other requests that suppress an address: each looks for a suppression of it before it adds its own, and two
 * of different makers would not meet at the unique index (0220).
 */
export const lockAddress = (tx: Tx, workspaceId: string, address: string): Promise<void> =>
  tx.lock(JSON.stringify(['suppression', workspaceId, address]))

/** Adds suppressions; returns the ids of those that were added. Each maker has one of an address at most (0220). */
export const insertSuppressions = async (tx: Tx, rows: readonly SuppressionRow[]): Promise<Set<string>> =>
  new Set((await tx.insertNew('suppression', rows, ['id'])).map(({ id }) => id))

const ofAddress = statement<{ workspace_id: string; address: string }, SuppressionRow>(({ knex, dialect }) =>
  dialect.locked(
    knex('suppression')
      .select(...columns)
      .where({ workspace_id: param('workspace_id'), address: param('address') }),
    'change',
  ),
)

/** Locks the suppressions of an address until the transaction ends, and returns them. */
export const lockSuppressions = (tx: Tx, workspaceId: string, address: string): Promise<SuppressionRow[]> =>
  tx.all(ofAddress, { workspace_id: workspaceId, address })

type SuppressionChange = Pick<SuppressionRow, 'workspace_id' | 'id'> & Partial<SuppressionRow>

export const updateSuppressions = (tx: Tx, rows: readonly SuppressionChange[]): Promise<void> =>
  tx.updateByKey('suppression', ['workspace_id', 'id'], rows)

const forDeletion = statement<{ workspace_id: string; id: string }, Pick<SuppressionRow, 'reason'>>(
  ({ knex, dialect }) =>
    dialect.locked(
      knex('suppression')
        .select('reason')
        .where({ workspace_id: param('workspace_id'), id: param('id') }),
      'delete',
    ),
)

/** Deletes a suppression and returns it, if it was there. */
export async function deleteSuppression(
  tx: Tx,
  workspaceId: string,
  id: string,
): Promise<Pick<SuppressionRow, 'reason'> | undefined> {
  const key = { workspace_id: workspaceId, id }
  const found = await tx.first(forDeletion, key)
  if (found !== undefined) await tx.deleteByKey('suppression', [key])
  return found
}

type SuppressionFilter = {
  readonly address?: string | undefined
  readonly person?: string | undefined
  readonly reason?: SuppressionRow['reason'] | undefined
}

/**
 * The suppressions that a caller may see: those of people whom they see and of their addresses, and those that they
 * made; all of them where `createdBy` is undefined. An address says who a person is.
 */
type SuppressionView = {
  readonly workspaceId: string
  readonly principal: Principal
  readonly createdBy: string | undefined
  readonly filter: SuppressionFilter
}

function viewed(sql: Sql, query: Knex.QueryBuilder, view: SuppressionView): Knex.QueryBuilder {
  const { workspaceId, principal, createdBy, filter } = view
  query.where('s.workspace_id', workspaceId)
  if (filter.address !== undefined) query.where('s.address', filter.address)
  if (filter.person !== undefined) query.where('s.person_id', filter.person)
  if (filter.reason !== undefined) query.where('s.reason', filter.reason)
  if (createdBy === undefined) return query
  const { knex } = sql
  const seen = whereVisible(
    sql,
    knex('unique_key as u')
      .join('record as r', 'r.id', 'u.record_id')
      .select('r.id')
      .where({
        'u.workspace_id': workspaceId,
        'r.workspace_id': workspaceId,
        'u.field': addressField,
        'u.key_value': knex.ref('s.address'),
      })
      .whereNull('r.deleted_at'),
    'r',
    principal,
  )
  const themselves = whereVisible(
    sql,
    knex('record as r')
      .select('r.id')
      .where({ 'r.workspace_id': workspaceId, 'r.id': knex.ref('s.person_id') })
      .where(isLive(sql, 'r')),
    'r',
    principal,
  )
  return query.where(
    (either) =>
      void either.where('s.created_by', createdBy).orWhere(findsRow(sql, seen)).orWhere(findsRow(sql, themselves)),
  )
}

/** The ids of the suppressions that a caller may see, among some. */
export const listSeenSuppressions = (tx: ReadTx, view: SuppressionView, ids: readonly string[]): Promise<string[]> =>
  readColumn(tx, (sql) =>
    viewed(sql, sql.knex('suppression as s').select('s.id').where(sql.dialect.oneOf('s.id', ids)), view),
  )

/** The list of the suppressions that a caller may see. */
export const suppressionsIn = (view: SuppressionView): ListReader<SuppressionRow> =>
  shortList({
    from: (sql) => viewed(sql, sql.knex('suppression as s'), view),
    columns: columns.map((name) => `s.${name}`),
    id: 's.id',
  })
