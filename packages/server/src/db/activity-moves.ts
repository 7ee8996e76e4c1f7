import type { Tx } from './tx.ts'

/**
 * Moves the activities of records into the feed of another, all of which are locked: in the order in which they began,
 * with positions from 1 up without gaps (docs/decisions/0032). The key of the table has the position, so what changes
 * places goes through negative positions, where nothing is in its way.
 */
export async function moveActivities(tx: Tx, workspaceId: string, fromIds: readonly string[], toId: string): Promise<void> {
  await tx.change(({ knex, dialect }) => {
    const oneOf = dialect.oneOf(knex, 'record_id', [...fromIds, toId])
    return knex.raw(
      `update activity set record_id = ?, position = -numbered.target
       from (
         select record_id as source_record, position as source, row_number() over (order by min(began_at), record_id, position) as target
         from activity where workspace_id = ? and ? group by record_id, position
       ) as numbered
       where activity.workspace_id = ? and activity.record_id = numbered.source_record and activity.position = numbered.source
         and (activity.record_id <> ? or activity.position <> numbered.target)`,
      [toId, workspaceId, oneOf, workspaceId, toId] as never[],
    )
  })
  await tx.change(({ knex }) => knex.raw('update activity set position = -position where workspace_id = ? and record_id = ? and position < 0', [workspaceId, toId]))
}
