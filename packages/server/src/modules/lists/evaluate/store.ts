import { limited } from '../../../db/expressions.ts'
import type { Knex } from 'knex'
import { param, statement } from '../../../db/statement.ts'
import type { Sql } from '../../../db/sql.ts'
import type { Database, ReadTx, Tx } from '../../../db/tx.ts'
import { workspacesOf } from '../../../db/workspaces.ts'
import { lagsOf, type ConsumerFacts } from '../../events/index.ts'
import { otherEnd } from '../../objects/index.ts'
import type { RelationshipStep } from '../../query/index.ts'
import { listColumns, type ListRow } from '../store.ts'
import type { Subject } from './subject.ts'

type RecordId = { readonly record_id: string }

const idsOf = (rows: readonly RecordId[]): string[] => rows.map(({ record_id }) => record_id)

const membersIn = (sql: Sql, { members }: Subject): Knex.QueryBuilder => {
  const { query, id } = members.rows(sql)
  return query.select(`${id} as record_id`)
}

const entriesIn = ({ knex }: Sql, { workspaceId, row }: Subject): Knex.QueryBuilder =>
  knex('list_entry as e').where({ 'e.workspace_id': workspaceId, 'e.list_id': row.id, 'e.hidden': false })

/** Returns which of some records the query of a list selects now. */
export const listMembersAmong = async (tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    idsOf(
      await tx.query<RecordId>(
        (sql) => {
          // A limit applies to all records: the candidates must not narrow them first.
          const some = sql.knex
            .select('m.record_id')
            .from(membersIn(sql, subject).as('m'))
            .where(sql.dialect.oneOf('m.record_id', ids))
          if (subject.query.limit !== undefined) return some
          const { query, id } = subject.members.rows(sql)
          return query.select(`${id} as record_id`).where(sql.dialect.oneOf(id, ids))
        },
        { heavy: true },
      ),
    ),
  )

/** Returns which of some records are entries of a list. */
export const listEntriesAmong = async (tx: ReadTx, subject: Subject, ids: readonly string[]): Promise<Set<string>> =>
  new Set(
    idsOf(
      await tx.query<RecordId>(
        (sql) => entriesIn(sql, subject).select('e.record_id').where(sql.dialect.oneOf('e.record_id', ids)),
        { heavy: true },
      ),
    ),
  )

/** Returns records that the query selects now and that are not entries of the list, at most so many. */
export const listJoining = async (tx: ReadTx, subject: Subject, rowsMax: number): Promise<string[]> =>
  idsOf(
    await tx.query<RecordId>(
      (sql) => {
        const there = entriesIn(sql, subject).select('e.record_id').where('e.record_id', sql.knex.ref('m.record_id'))
        return sql.knex.select('m.record_id').from(membersIn(sql, subject).as('m')).whereNotExists(there).limit(rowsMax)
      },
      { heavy: true },
    ),
  )

/**
 * Returns entries of a list that its query no longer selects, at most so many. By a join: Postgres would look through
 * what `not in` selects for each entry, where that is too much for the memory of a query.
 */
export const listLeaving = async (tx: ReadTx, subject: Subject, rowsMax: number): Promise<string[]> =>
  idsOf(
    await tx.query<RecordId>(
      (sql) =>
        entriesIn(sql, subject)
          .select('e.record_id')
          .leftJoin(membersIn(sql, subject).as('m'), 'm.record_id', 'e.record_id')
          .whereNull('m.record_id')
          .limit(rowsMax),
      { heavy: true },
    ),
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
export const listBefore = async (
  tx: ReadTx,
  workspaceId: string,
  { linkEnd }: Pick<RelationshipStep, 'linkEnd'>,
  ids: readonly string[],
  rowsMax: number,
): Promise<string[]> =>
  idsOf(
    await tx.query<RecordId>(
      ({ knex, dialect }) =>
        knex('link')
          .distinct(`${linkEnd.end} as record_id`)
          .where({ workspace_id: workspaceId, relationship: linkEnd.relationship })
          .where(dialect.oneOf(otherEnd(linkEnd), ids))
          .limit(rowsMax + 1),
      { heavy: true },
    ),
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
        .where({ workspace_id: workspaceId, relationship: linkEnd.relationship })
        .where(dialect.oneOf(otherEnd(linkEnd), ids))
        .limit(rowsMax),
    { heavy: true },
  )

/** Returns the workspaces with events that their lists have not followed yet. */
export const listBehind = (tx: ReadTx): Promise<string[]> =>
  workspacesOf(
    tx,
    ({ knex }) =>
      knex('list_follower as f')
        .join('event_head as h', 'h.workspace_id', 'f.workspace_id')
        .where('h.last_sequence', '>', knex.ref('f.followed_sequence')),
    'f.workspace_id',
  )

/** How far the lists of all workspaces are behind, for the operator. */
export const listLags = (database: Pick<Database, 'reader'>, now: number): Promise<ConsumerFacts[]> =>
  lagsOf(
    database,
    (sql) => sql`select workspace_id, 'lists' as consumer, followed_sequence as sequence from list_follower`,
    now,
  )

export type LoggedChange = {
  readonly sequence: number
  readonly id: string
  readonly type: string
  readonly object: string
  readonly record_id: string
}

const following = statement<{ workspace_id: string; events: number }, LoggedChange>((sql) =>
  limited(
    sql,
    sql
      .knex('list_follower as f')
      .join('event as e', 'e.workspace_id', 'f.workspace_id')
      .select('e.sequence', 'e.id', 'e.type', 'e.object', 'e.record_id')
      .where('f.workspace_id', param('workspace_id'))
      .where('e.sequence', '>', sql.knex.ref('f.followed_sequence'))
      .orderBy('e.sequence'),
    param('events'),
  ),
)

/** Returns the events that the lists of a workspace have not followed yet, in order. */
export const listChanges = (tx: ReadTx, workspaceId: string, events: number): Promise<LoggedChange[]> =>
  tx.all(following, { workspace_id: workspaceId, events })

export const updateFollowed = (tx: Tx, workspaceId: string, sequence: number): Promise<number> =>
  tx.change(({ knex }) =>
    knex('list_follower')
      .update({ followed_sequence: sequence })
      .where({ workspace_id: workspaceId })
      .where('followed_sequence', '<', sequence),
  )

const followed = statement<{ workspace_id: string }, { followed_sequence: number }>(({ knex }) =>
  knex('list_follower').select('followed_sequence').where('workspace_id', param('workspace_id')),
)

/** The number of the last event that the lists of a workspace have followed. */
export const findFollowed = async (tx: ReadTx, workspaceId: string): Promise<number | undefined> =>
  (await tx.first(followed, { workspace_id: workspaceId }))?.followed_sequence

/** Starts to follow the changes of a workspace, unless they are already followed: from here on none is missed. */
export async function insertFollower(tx: Tx, workspaceId: string): Promise<void> {
  const [head] = await tx.query<{ last_sequence: number }>(({ knex }) =>
    knex('event_head').select('last_sequence').where('workspace_id', workspaceId),
  )
  await tx.insertNew(
    'list_follower',
    [{ workspace_id: workspaceId, followed_sequence: head?.last_sequence ?? 0 }],
    ['workspace_id'],
  )
}
