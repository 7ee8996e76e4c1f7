import type { suppressionReasons } from '@kontor/contract'
import type { Knex } from 'knex'
import type { RowOf } from '../../../db/columns.ts'
import { findsRow } from '../../../db/expressions.ts'
import { inOrder } from '../../../db/in-order.ts'
import type { Sql } from '../../../db/sql.ts'
import { param, statement } from '../../../db/statement.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import type { Order } from '../../../kernel/requested-order.ts'
import { whereVisible, type Principal } from '../../access/index.ts'

export type SuppressionRow = RowOf<'suppression'> & { readonly reason: (typeof suppressionReasons)[number] }

const columns = [
  'workspace_id',
  'id',
  'address',
  'reason',
  'note',
  'email_id',
  'created_at',
  'created_by',
] as const satisfies readonly (keyof SuppressionRow)[]

/** Which of some addresses are suppressed. */
export async function listSuppressed(
  tx: ReadTx,
  workspaceId: string,
  addresses: readonly string[],
): Promise<Set<string>> {
  const rows = await tx.query<{ address: string }>(({ knex, dialect }) =>
    knex('suppression')
      .select('address')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('address', addresses, 'text')),
  )
  return new Set(rows.map(({ address }) => address))
}

/** Adds suppressions of addresses that have none; returns the ids of those that were added. */
export const insertSuppressions = async (tx: Tx, rows: readonly SuppressionRow[]): Promise<Set<string>> =>
  new Set((await tx.insertNew('suppression', rows, ['id'])).map(({ id }) => id))

const ofAddress = statement<{ workspace_id: string; address: string }, SuppressionRow>(({ knex }) =>
  knex('suppression')
    .select(...columns)
    .where({ workspace_id: param('workspace_id'), address: param('address') }),
)

export const findSuppression = (
  tx: ReadTx,
  workspaceId: string,
  address: string,
): Promise<SuppressionRow | undefined> => tx.first(ofAddress, { workspace_id: workspaceId, address })

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

/** The columns that suppressions are sorted by. */
export type SuppressionColumn = 'address' | 'created_at'

type SuppressionFilter = {
  readonly address?: string | undefined
  readonly reason?: SuppressionRow['reason'] | undefined
}

/**
 * The suppressions that a caller may see: those of the addresses of people whom they see, and those that they made;
 * all of them where `createdBy` is undefined. An address says who a person is.
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
        'u.field': 'person.email_addresses',
        'u.key_value': knex.ref('s.address'),
      })
      .whereNull('r.deleted_at'),
    'r',
    principal,
  )
  return query.where((either) => void either.where('s.created_by', createdBy).orWhere(findsRow(sql, seen)))
}

export const listSuppressions = (
  tx: ReadTx,
  view: SuppressionView,
  { column, descending }: Order<SuppressionColumn>,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<SuppressionRow[]> =>
  tx.query((sql) =>
    inOrder(
      sql,
      viewed(sql, sql.knex('suppression as s').select(columns.map((name) => `s.${name}`)), view),
      { column: `s.${column}`, descending, isText: column === 'address' },
      's.id',
    )
      .offset(offset)
      .limit(limit),
  )

export async function countSuppressions(tx: ReadTx, view: SuppressionView): Promise<number> {
  const rows = await tx.query<{ total: number }>((sql) =>
    viewed(sql, sql.knex('suppression as s').count('* as total'), view),
  )
  return rows[0]?.total ?? 0
}
