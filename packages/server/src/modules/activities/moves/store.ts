import type { Knex } from 'knex'
import { tables } from '../../../db/columns.ts'
import type { Sql, Tx } from '../../../db/tx.ts'

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
  await tx.change((sql) => copies(sql, move))
  await tx.change((sql) => originals(sql, move))
  await tx.change(({ knex }) =>
    knex.raw('update activity set position = -position where workspace_id = ? and record_id = ? and position < 0', [
      workspaceId,
      toId,
    ]),
  )
}

type Move = { readonly workspaceId: string; readonly ids: readonly string[]; readonly toId: string }

/** The activities that move: where they are, and their new position. */
const moved = ({ knex, dialect }: Sql, { workspaceId, ids, toId }: Move): Knex.Raw =>
  knex.raw(
    `(select record_id, position, target from (
        select record_id, position, row_number() over (order by min(began_at), record_id, position) as target
        from activity where workspace_id = ? and ? and position > 0 group by record_id, position
      ) as numbered where record_id <> ? or position <> target)`,
    [workspaceId, dialect.oneOf('record_id', ids), toId],
  )

function copies(sql: Sql, move: Move): Knex.Raw {
  const columns = Object.keys(tables.activity)
  const values = columns.map((column) =>
    column === 'record_id' ? '?' : column === 'position' ? '-moved.target' : `a.${column}`,
  )
  // `cross join` fixes the join order: the numbers first, then the rows of each by the key.
  return sql.knex.raw(
    `insert into activity (${columns.join(', ')}) select ${values.join(', ')} from ? as moved cross join activity as a
     where a.workspace_id = ? and a.record_id = moved.record_id and a.position = moved.position`,
    [move.toId, moved(sql, move), move.workspaceId],
  )
}

const originals = (sql: Sql, move: Move): Knex.Raw =>
  sql.knex.raw(
    'delete from activity where workspace_id = ? and (record_id, position) in (select record_id, position ' +
      'from ? as moved)',
    [move.workspaceId, moved(sql, move)],
  )
