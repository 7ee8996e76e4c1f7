import type { Knex } from 'knex'
import type { Dialect } from './dialect.ts'
import { param, statement } from './statement.ts'
import type { ReadTx, Sql, Tx } from './tx.ts'

/** Which end of which links. */
type LinkEnd = { readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/**
 * The name of a counter: of the records of an object it is the object's key; this one is of the live links of a record, which may
 * be a hundred thousand and are told on every page of them.
 */
export const linkCounter = ({ relationship, end }: LinkEnd, id: string): string => `${relationship}/${end}/${id}`

/** The name of the counter of the records of an object that are shared with the workspace. */
export const publicCounter = (object: string): string => `${object}#public`

/** The name of the counter of the records of an object that are private by themselves. */
export const privateCounter = (object: string): string => `${object}#private`

type Key = { readonly workspace_id: string; readonly object: string }

/** An exact number by the name of its counter, as a part of a query. */
export const totalInSql = ({ knex }: Sql, workspaceId: string, object: string | Knex.Raw): Knex.Raw =>
  knex.raw(
    `(coalesce((select total from record_count where workspace_id = ? and object = ?), 0)
      + coalesce((select cast(sum(delta) as bigint) from record_count_delta where workspace_id = ? and object = ?), 0))`,
    [workspaceId, object, workspaceId, object],
  )

/** How many live links each record has that a column names, as a part of a query. */
export const linkTotalInSql = (sql: Sql, workspaceId: string, end: LinkEnd, column: string): Knex.Raw =>
  totalInSql(sql, workspaceId, sql.knex.raw('cast(? as text) || ??', [linkCounter(end, ''), column]))

const totalStatement = statement<Key, { total: number }>((sql) =>
  sql.knex.select(sql.dialect.aliased(sql.knex, totalInSql(sql, param('workspace_id'), param('object')), 'total')),
)

/** An exact number by the name of its counter: of the live records of an object, whatever their number, or of links. */
export const totalRecords = async (tx: ReadTx, workspaceId: string, object: string): Promise<number> =>
  (await tx.first(totalStatement, { workspace_id: workspaceId, object }))?.total ?? 0

type Changes = { readonly workspace_id: string; readonly changes: string }

const addToTotals = statement<Changes, never>(({ knex }) =>
  knex.raw(
    `insert into record_count (workspace_id, object, total) select ?, value ->> 0, value ->> 1 from json_each(?) where true
     on conflict (workspace_id, object) do update set total = record_count.total + excluded.total`,
    [param('workspace_id'), param('changes')],
  ),
)

/** Nothing is what a counter that is not there says, too. */
const forgetZeros = statement<Changes, never>(({ knex }) =>
  knex.raw(
    'delete from record_count where workspace_id = ? and object in (select value ->> 0 from json_each(?)) and total = 0',
    [param('workspace_id'), param('changes')],
  ),
)

/**
 * Counts a change. SQLite has one writer and adds to the total; on Postgres every writer inserts a row of its own,
 * since one row to add to would make them wait for one another (0.24 of the plain insert rate against 0.74).
 */
export async function addToCounts(
  tx: Tx,
  workspaceId: string,
  changes: ReadonlyMap<string, number>,
  newId: () => string,
): Promise<void> {
  const changed = [...changes].filter(([, delta]) => delta !== 0)
  if (changed.length === 0) return
  if (!foldsCounts(tx.dialect)) {
    const given = { workspace_id: workspaceId, changes: JSON.stringify(changed) }
    await tx.run(addToTotals, given)
    if (changed.some(([, delta]) => delta < 0)) await tx.run(forgetZeros, given)
    return
  }
  tx.announce('counts')
  await tx.insert(
    'record_count_delta',
    changed.map(([object, delta]) => ({ workspace_id: workspaceId, object, id: newId(), delta })),
  )
}

/** The same for one counter. */
export const addToCount = (tx: Tx, workspaceId: string, object: string, delta: number, id: string): Promise<void> =>
  addToCounts(tx, workspaceId, new Map([[object, delta]]), () => id)

/** Forgets the counters of links that nobody can ask for any more. */
export async function forgetLinkCounts(
  tx: Tx,
  workspaceId: string,
  links: readonly { readonly relationship: string; readonly from_id: string; readonly to_id: string }[],
): Promise<void> {
  if (links.length === 0) return
  const names = [
    ...new Set(
      links.flatMap(({ relationship, from_id, to_id }) => [
        linkCounter({ relationship, end: 'from_id' }, from_id),
        linkCounter({ relationship, end: 'to_id' }, to_id),
      ]),
    ),
  ]
  await forgetCounts(tx, workspaceId, names)
}

/** Forgets counters by their names. In this order: who folds the one table into the other meanwhile is waited for, and what they have added is seen. */
export async function forgetCounts(tx: Tx, workspaceId: string, names: readonly string[]): Promise<void> {
  for (const table of ['record_count_delta', 'record_count'] as const) {
    await tx.change(({ knex, dialect }) =>
      knex(table)
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf(knex, 'object', names, 'text'))
        .delete(),
    )
  }
}

/** Whether there are deltas to fold. */
export const foldsCounts = (dialect: Dialect): boolean => dialect.name === 'postgres'

/** Deltas folded at once. */
const foldBatch = 5000

type Folded = { readonly folded: number; readonly workspace_id: string | null; readonly object: string | null }

const foldStatement = statement<Record<string, never>, Folded>(({ knex }) =>
  knex.raw(
    `with taken as (
       delete from record_count_delta where ctid = any(array(select ctid from record_count_delta limit ${foldBatch} for update skip locked))
       returning workspace_id, object, delta
     ), added as (
       insert into record_count (workspace_id, object, total)
       select workspace_id, object, sum(delta) from taken group by workspace_id, object order by workspace_id, object
       on conflict (workspace_id, object) do update set total = record_count.total + excluded.total
       returning workspace_id, object, total
     )
     select t.folded, a.workspace_id, a.object from (select count(*) as folded from taken) as t left join added as a on a.total = 0`,
  ),
)

/** Folds deltas into the totals; whether there may be more. Several nodes may do so at once. */
export async function foldCounts(tx: Tx): Promise<boolean> {
  const rows = await tx.all(foldStatement, {})
  const zeros = rows.filter(({ object }) => object !== null)
  // Nobody adds to them before we end, since their rows are ours.
  await tx.deleteByKey(
    'record_count',
    zeros.map(({ workspace_id, object }) => ({ workspace_id, object, total: 0 })),
  )
  return rows[0]?.folded === foldBatch
}
