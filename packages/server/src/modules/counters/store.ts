import { aliased } from '../../db/expressions.ts'
import type { Knex } from 'knex'
import type { Dialect } from '../../db/dialect.ts'
import { param, statement } from '../../db/statement.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { workspacesIn } from '../../db/workspaces.ts'
import type { WorkspaceUpkeep } from '../../engine/each-workspace.ts'

/** One end of the links of a relationship. */
type LinkEnd = { readonly relationship: string; readonly end: 'from_id' | 'to_id' }

/**
 * The name of a counter of the live links of a record. There may be a hundred thousand, and every page of links states
 * the total. The counter of an object's records is named by the object's key.
 */
export const linkCounter = ({ relationship, end }: LinkEnd, id: string): string => `${relationship}/${end}/${id}`

/** The name of the counter of an object's records that are visible to the workspace. */
export const publicCounter = (object: string): string => `${object}#public`

/** The name of the counter of an object's records that are private on their own. */
export const privateCounter = (object: string): string => `${object}#private`

/** The name of the counter of all records that an object ever had whose ids do not begin with their creation time. */
export const unorderedCounter = (object: string): string => `${object}#unordered`

type Key = { readonly workspace_id: string; readonly object: string }

/** The exact value of a counter, by its name, as a part of a query. */
export const totalInSql = (sql: Sql, workspaceId: string, object: string | Knex.Raw): Knex.Raw =>
  sql`(coalesce((select total from record_count where workspace_id = ${workspaceId} and object = ${object}), 0)
      + coalesce((select cast(sum(delta) as bigint) from record_count_delta
        where workspace_id = ${workspaceId} and object = ${object}), 0))`

/** The number of live links of each record that a column names, as a part of a query. */
export const linkTotalInSql = (sql: Sql, workspaceId: string, end: LinkEnd, column: string): Knex.Raw =>
  totalInSql(sql, workspaceId, sql`cast(${linkCounter(end, '')} as text) || ${sql.ref(column)}`)

const totalStatement = statement<Key, { total: number }>((sql) =>
  sql.knex.select(aliased(sql, totalInSql(sql, param('workspace_id'), param('object')), 'total')),
)

/** The exact value of a counter, by its name: of the live records of an object, however many, or of links. */
export const totalRecords = async (tx: ReadTx, workspaceId: string, object: string): Promise<number> =>
  (await tx.first(totalStatement, { workspace_id: workspaceId, object }))?.total ?? 0

/** The counters whose names begin so, each with its exact value. */
export const listTotals = (
  tx: ReadTx,
  workspaceId: string,
  prefix: string,
): Promise<{ readonly object: string; readonly total: number }[]> =>
  tx.query((sql) => {
    const { knex } = sql
    const named = (table: 'record_count' | 'record_count_delta', value: 'total' | 'delta'): Knex.QueryBuilder =>
      knex(table)
        .select('object', `${value} as total`)
        .where('workspace_id', workspaceId)
        .where('object', '>=', prefix)
        // Names are compared by their bytes, and this is behind every character that they have.
        .where('object', '<', `${prefix}~`)
    return knex
      .select('object', aliased(sql, sql`cast(sum(total) as bigint)`, 'total'))
      .from(
        named('record_count', 'total')
          .unionAll([named('record_count_delta', 'delta')])
          .as('c'),
      )
      .groupBy('object')
      .orderBy('object')
  })

/** The exact values of some counters by their names; those that are zero may be missing. */
export async function listTotalsOf(
  tx: ReadTx,
  workspaceId: string,
  names: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const totals = new Map<string, number>()
  for (const [table, value] of [
    ['record_count', 'total'],
    ['record_count_delta', 'delta'],
  ] as const) {
    const rows = await tx.query<{ object: string; total: number }>(({ knex, dialect }) =>
      knex(table)
        .select('object', `${value} as total`)
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('object', names, 'text')),
    )
    for (const { object, total } of rows) totals.set(object, (totals.get(object) ?? 0) + total)
  }
  return totals
}

type Changes = { readonly workspace_id: string; readonly changes: string }

const addToTotals = statement<Changes, never>(
  (sql) =>
    sql`insert into record_count (workspace_id, object, total)
     select ${param('workspace_id')}, value ->> 0, value ->> 1 from json_each(${param('changes')}) where true
     on conflict (workspace_id, object) do update set total = record_count.total + excluded.total`,
)

/** A missing counter counts as zero, so a zero need not be stored. */
const forgetZeros = statement<Changes, never>(
  (sql) =>
    sql`delete from record_count
     where workspace_id = ${param('workspace_id')}
       and object in (select value ->> 0 from json_each(${param('changes')})) and total = 0`,
)

/**
 * Adds to counters. SQLite has one writer and adds to the total; on Postgres every writer inserts a delta row, since
 * updating one shared row would make writers wait for one another (0.24 of the plain insert rate against 0.74).
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
  tx.publish('counts')
  await tx.insert(
    'record_count_delta',
    changed.map(([object, delta]) => ({ workspace_id: workspaceId, object, id: newId(), delta })),
  )
}

/** Adds to one counter. */
export const addToCount = (tx: Tx, workspaceId: string, object: string, delta: number, id: string): Promise<void> =>
  addToCounts(tx, workspaceId, new Map([[object, delta]]), () => id)

/** Deletes the counters of links whose record or relationship is gone. */
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

/**
 * Deletes counters by name. The order matters: the delete waits for a concurrent fold of one table into the other, and
 * sees what the fold has added.
 */
export async function forgetCounts(tx: Tx, workspaceId: string, names: readonly string[]): Promise<void> {
  for (const table of ['record_count_delta', 'record_count'] as const) {
    await tx.change(({ knex, dialect }) =>
      knex(table)
        .where('workspace_id', workspaceId)
        .where(dialect.oneOf('object', names, 'text'))
        .delete(),
    )
  }
}

/** Returns whether this database has deltas to fold. */
export const foldsCounts = (dialect: Dialect): boolean => dialect.name === 'postgres'

/** Deltas folded in one batch. */
const foldBatch = 5000

type OfWorkspace = { readonly workspace_id: string }

const countDeltas = statement<OfWorkspace, { deltas: number }>(
  (sql) =>
    sql`select count(*) as deltas from (
       select 1 from record_count_delta where workspace_id = ${param('workspace_id')} limit ${foldBatch}
     ) as d`,
)

/**
 * Its last part is the insertion: a distributed Postgres would send one that only reads the others to any node, also to
 * one that does not respond (0340).
 */
const foldStatement = statement<OfWorkspace, { object: string; total: number }>(
  (sql) =>
    sql`with taken as (
       delete from record_count_delta where workspace_id = ${param('workspace_id')} and ctid = any(array(
         select ctid from record_count_delta where workspace_id = ${param('workspace_id')}
           limit ${foldBatch} for update skip locked
       )) returning workspace_id, object, delta
     )
     insert into record_count (workspace_id, object, total)
     select workspace_id, object, sum(delta) from taken group by workspace_id, object order by object
     on conflict (workspace_id, object) do update set total = record_count.total + excluded.total
     returning object, total`,
)

/** Folds deltas of a workspace into its totals; returns whether there may be more. Several nodes may fold at once. */
async function fold(tx: Tx, workspaceId: string): Promise<boolean> {
  const key = { workspace_id: workspaceId }
  const [counted, folded] = await Promise.all([tx.first(countDeltas, key), tx.all(foldStatement, key)])
  // No other transaction adds to these before this one ends, since it has their rows locked.
  await tx.deleteByKey(
    'record_count',
    folded.filter(({ total }) => total === 0).map((row) => ({ workspace_id: workspaceId, ...row })),
  )
  return counted?.deltas === foldBatch
}

/** Folds counters, in each workspace that has deltas. */
export const counterUpkeep: WorkspaceUpkeep = { due: (tx) => workspacesIn(tx, 'record_count_delta'), batch: fold }
