import type { Knex } from 'knex'
import { tables } from './columns.ts'
import type { Sql, Tx } from './tx.ts'

/**
 * Moves the activities of records into the feed of another, all of which are locked: in the order in which they began,
 * with positions from 1 up without gaps (docs/decisions/0032). The key of the table has the position, so what changes
 * places goes through negative positions, where nothing is in its way. It is copied and deleted, since SQLite, which has no
 * index on the numbers, would go through all of them for each row of an update: two feeds of 50,000 take seconds this way,
 * and took more than ten minutes the other.
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

/** The activities that change places: where they are, and the position that they get. */
const moved = ({ knex, dialect }: Sql, { workspaceId, ids, toId }: Move): Knex.Raw =>
  knex.raw(
    `(select record_id, position, target from (
        select record_id, position, row_number() over (order by min(began_at), record_id, position) as target
        from activity where workspace_id = ? and ? and position > 0 group by record_id, position
      ) as numbered where record_id <> ? or position <> target)`,
    [workspaceId, dialect.oneOf(knex, 'record_id', ids), toId] as never[],
  )

function copies(sql: Sql, move: Move): Knex.Raw {
  const columns = Object.keys(tables.activity)
  const values = columns.map((column) =>
    column === 'record_id' ? '?' : column === 'position' ? '-moved.target' : `a.${column}`,
  )
  // `cross join`: the numbers first, then the rows of each by the key.
  return sql.knex.raw(
    `insert into activity (${columns.join(', ')}) select ${values.join(', ')} from ? as moved cross join activity as a
     where a.workspace_id = ? and a.record_id = moved.record_id and a.position = moved.position`,
    [move.toId, moved(sql, move), move.workspaceId] as never[],
  )
}

const originals = (sql: Sql, move: Move): Knex.Raw =>
  sql.knex.raw(
    'delete from activity where workspace_id = ? and (record_id, position) in (select record_id, position from ? as moved)',
    [move.workspaceId, moved(sql, move)] as never[],
  )
