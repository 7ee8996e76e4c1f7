import type { Knex } from 'knex'
import { aliased, findsRow } from '../../../db/expressions.ts'
import type { Sql } from '../../../db/sql.ts'
import type { ReadTx } from '../../../db/tx.ts'
import { otherEnd } from '../../objects/index.ts'
import type { RelationshipStep } from '../../filters/index.ts'
import { listColumns, type ListRow } from '../store.ts'
import type { Subject } from './subject.ts'
import { readColumn } from '../../../db/rows.ts'

const membersIn = (sql: Sql, { members }: Subject): Knex.QueryBuilder => {
  const { query, id } = members.rows(sql)
  return query.select(`${id} as record_id`)
}

const entriesIn = ({ knex }: Sql, { workspaceId, row }: Subject): Knex.QueryBuilder =>
  knex('list_entry as e').where({ 'e.workspace_id': workspaceId, 'e.list_id': row.id, 'e.hidden': false })

/** Returns which of some records the query of a list selects now. */
export const listMembersAmong = async (tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    await readColumn(
      tx,
      (sql) => {
        const { contains } = subject.members
        if (contains !== undefined)
          return sql.knex
            .select('s.id as record_id')
            .from(aliased(sql, sql.dialect.idTable(ids), 's'))
            .where(findsRow(sql, contains(sql, 's.id')))
        // A limit applies to all records: the candidates must not narrow them first.
        return sql.knex
          .select('m.record_id')
          .from(membersIn(sql, subject).as('m'))
          .where(sql.dialect.oneOf('m.record_id', ids))
      },
      { heavy: true },
    ),
  )

/** Returns which of some records are entries of a list. */
export const listEntriesAmong = async (tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    await readColumn(
      tx,
      (sql) => entriesIn(sql, subject).select('e.record_id').where(sql.dialect.oneOf('e.record_id', ids)),
      { heavy: true },
    ),
  )

/** Returns records that the query selects now and that are not entries of the list, at most so many. */
export const listJoining = (tx: ReadTx, subject: Subject, rowsMax: number): Promise<string[]> =>
  readColumn(
    tx,
    (sql) => {
      const there = entriesIn(sql, subject).select('e.record_id').where('e.record_id', sql.knex.ref('m.record_id'))
      return sql.knex.select('m.record_id').from(membersIn(sql, subject).as('m')).whereNotExists(there).limit(rowsMax)
    },
    { heavy: true },
  )

/**
 * Returns entries of a list that its query no longer selects, at most so many. By a join: Postgres would look through
 * what `not in` selects for each entry, where that is too much for the memory of a query.
 */
export const listLeaving = (tx: ReadTx, subject: Subject, rowsMax: number): Promise<string[]> =>
  readColumn(
    tx,
    (sql) =>
      entriesIn(sql, subject)
        .select('e.record_id')
        .leftJoin(membersIn(sql, subject).as('m'), 'm.record_id', 'e.record_id')
        .whereNull('m.record_id')
        .limit(rowsMax),
    { heavy: true },
  )

/** Returns the published dynamic lists of a workspace. */
export const listFollowing = (tx: ReadTx, workspaceId: string): Promise<ListRow[]> =>
  tx.query(({ knex }) =>
    knex('list')
      .select(...listColumns)
      .where({ workspace_id: workspaceId, type: 'dynamic', state: 'published' }),
  )

/** Returns all dynamic lists of a workspace, drafts included. */
export const listDynamic = (tx: ReadTx, workspaceId: string): Promise<ListRow[]> =>
  tx.query(({ knex }) =>
    knex('list')
      .select(...listColumns)
      .where({ workspace_id: workspaceId, type: 'dynamic' }),
  )

/**
 * Returns the records from which a step leads to some others, including by hidden links: at most so many, and one more.
 */
export const listBefore = (
  tx: ReadTx,
  workspaceId: string,
  { linkEnd }: Pick<RelationshipStep, 'linkEnd'>,
  ids: readonly string[],
  rowsMax: number,
): Promise<string[]> =>
  readColumn(
    tx,
    ({ knex, dialect }) =>
      knex('link')
        .distinct(`${linkEnd.end} as record_id`)
        .where('workspace_id', workspaceId)
        .where(dialect.bothOf(['relationship', [linkEnd.relationship]], [otherEnd(linkEnd), ids]))
        .limit(rowsMax + 1),
    { heavy: true },
  )

/** A link that a step goes along. */
type StepLink = { readonly from: string; readonly to: string }

/** Returns the links by which a step leads to some records, hidden ones included: at most so many. */
export const listLinksTo = (
  tx: ReadTx,
  workspaceId: string,
  { linkEnd }: Pick<RelationshipStep, 'linkEnd'>,
  ids: readonly string[],
  rowsMax: number,
): Promise<StepLink[]> =>
  tx.query(
    ({ knex, dialect }) =>
      knex('link')
        .select(`${linkEnd.end} as from`, `${otherEnd(linkEnd)} as to`)
        .where('workspace_id', workspaceId)
        .where(dialect.bothOf(['relationship', [linkEnd.relationship]], [otherEnd(linkEnd), ids]))
        .limit(rowsMax),
    { heavy: true },
  )

/** The name under which lists follow the log of events. */
export const consumerName = 'lists'
