import type { Knex } from 'knex'
import { tables } from '../../../db/columns.ts'
import type { Sql } from '../../../db/sql.ts'
import type { Tx } from '../../../db/tx.ts'
import { updateFeedEnds } from '../../feeds/index.ts'

/**
 * Moves the activities of records into the feed of another record, all of them locked: ordered by when they began, with
 * positions from 1 up without gaps (docs/decisions/0032). The position is part of the table's key, so rows that change
 * places go through negative positions, where nothing is in their way. Rows are copied and deleted, since SQLite,
 * without an index on the numbers, would scan all of them for each updated row: two feeds of 50,000 take seconds this
 * way, and took more than ten minutes as an update.
 */
export async function moveActivities(
  tx: Tx,
  workspaceId: string,
  fromIds: readonly string[],
  toId: string,
): Promise<void> {
  const move = { workspaceId, ids: [...fromIds, toId], toId }
  await updateFeedEnds(
    tx,
    workspaceId,
    move.ids.map((id) => [id, null]),
  )
  await tx.change((sql) => copies(sql, move))
  await tx.change((sql) => originals(sql, move))
  await tx.change(
    (sql) =>
      sql`update activity set position = -position
        where workspace_id = ${workspaceId} and record_id = ${toId} and position < 0`,
  )
}

type Move = { readonly workspaceId: string; readonly ids: readonly string[]; readonly toId: string }

/** The activities that move: where they are, and their new position. */
const moved = (sql: Sql, { workspaceId, ids, toId }: Move): Knex.Raw =>
  sql`(select record_id, position, target from (
        select record_id, position, row_number() over (order by min(began_at), record_id, position) as target
        from activity where workspace_id = ${workspaceId} and ${sql.dialect.oneOf('record_id', ids)} and position > 0
        group by record_id, position
      ) as numbered where record_id <> ${toId} or position <> target)`

function copies(sql: Sql, move: Move): Knex.Raw {
  const columns = Object.keys(tables.activity)
  const values = columns.map((column) =>
    column === 'record_id' ? move.toId : column === 'position' ? sql`-moved.target` : sql.ref(`a.${column}`),
  )
  // `cross join` fixes the join order: the numbers first, then the rows of each by the key.
  return sql`insert into activity (${sql.join(columns.map(sql.ref), ', ')}) select ${sql.join(values, ', ')}
    from ${moved(sql, move)} as moved cross join activity as a
    where a.workspace_id = ${move.workspaceId} and a.record_id = moved.record_id and a.position = moved.position`
}

const originals = (sql: Sql, move: Move): Knex.Raw =>
  sql`delete from activity
    where workspace_id = ${move.workspaceId}
      and (record_id, position) in (select record_id, position from ${moved(sql, move)} as moved)`
