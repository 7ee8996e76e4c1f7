import type { Knex } from 'knex'
import type { ListPermission, ListQuery, ListResource } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import { shortList, type ListReader } from '../../db/short-list.ts'
import { columnsOf, rowsOf, rowsIn } from '../../db/rows.ts'
import { fold } from '../../db/fold.ts'
import type { Sql } from '../../db/sql.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'
import { whereVisible, type Principal, type Level } from '../access/index.ts'

type Attributes = ListResource['attributes']

/**
 * A list; `object` is the key of the object of its records. The query of a static list is null, as is its version.
 */
export type ListRow = Pick<RowOf<'list'>, (typeof listColumns)[number]> & {
  readonly type: Attributes['type']
  readonly state: Attributes['state']
  readonly layout: Attributes['layout']
  readonly options: Attributes['options']
  readonly query: ListQuery | null
  readonly evaluation_status: Attributes['list_evaluation_status']
}

export const listColumns = columnsOf('list', 'workspace_id')

const lists = rowsOf<ListRow>('list', listColumns)

/** Finds a list, visible or hidden: the caller checks. */
export const findList = lists.find('workspace_id', 'id')

const locks = {
  change: lists.lock('change', 'workspace_id', 'id'),
  refer: lists.lock('refer', 'workspace_id', 'id'),
}

/** Finds and locks a list until the transaction ends: against changes, or only against deletion. */
export const lockList = (
  tx: Tx,
  workspaceId: string,
  id: string,
  purpose: keyof typeof locks,
): Promise<ListRow | undefined> => locks[purpose](tx, workspaceId, id)

const many = ({ knex, dialect }: Sql, workspaceId: string, ids: readonly string[]): Knex.QueryBuilder =>
  knex('list')
    .select(...listColumns)
    .where('workspace_id', workspaceId)
    .where(dialect.oneOf('id', ids))
    .orderBy('id')

/** Returns lists by id, in the order of their ids. */
export const listById = async (tx: ReadTx, workspaceId: string, ids: readonly string[]): Promise<ListRow[]> =>
  ids.length === 0 ? [] : tx.query((sql) => many(sql, workspaceId, ids))

/** Returns and locks lists for a change, in the order of their ids. */
export const lockMany = async (tx: Tx, workspaceId: string, ids: readonly string[]): Promise<ListRow[]> =>
  ids.length === 0 ? [] : tx.query((sql) => sql.dialect.locked(many(sql, workspaceId, ids), 'change'))

/** Returns every list of an object, by the object's key. */
export const listOfObject = (tx: ReadTx, workspaceId: string, object: string): Promise<Pick<ListRow, 'id'>[]> =>
  tx.query(({ knex }) => knex('list').select('id').where({ workspace_id: workspaceId, object }))

const ownLists = rowsIn<ListRow, 'id'>('list', listColumns, 'id')

export const insertList = ownLists.insert

export const updateList = ownLists.update

/** Deletes a list; who could see it, may still see its events. */
export async function deleteList(tx: Tx, workspaceId: string, id: string): Promise<void> {
  await tx.change(
    (sql) =>
      sql`insert into deleted_list (workspace_id, id, visibility, owner_id)
        select workspace_id, id, visibility, owner_id from list where workspace_id = ${workspaceId} and id = ${id}`,
  )
  await tx.deleteByKey('list', [{ workspace_id: workspaceId, id }])
}

/** Returns the visibility of lists by id, deleted ones too. */
export const listGuardedLists = async (
  tx: ReadTx,
  workspaceId: string,
  ids: readonly string[],
): Promise<Pick<ListRow, 'id' | 'visibility' | 'owner_id'>[]> => {
  const among = ({ knex, dialect }: Sql, table: 'list' | 'deleted_list') =>
    knex(table)
      .select('id', 'visibility', 'owner_id')
      .where('workspace_id', workspaceId)
      .where(dialect.oneOf('id', ids))
  return ids.length === 0 ? [] : tx.query((sql) => among(sql, 'list').unionAll([among(sql, 'deleted_list')]))
}

/** The level that each permission gives to the workspace. */
export const levels = { private: 'none', workspace: 'view', workspace_edit: 'edit' } as const satisfies Record<
  ListPermission,
  Level
>

/** The stored levels of each permission. */
export const visibilities: Readonly<Record<ListPermission, readonly number[]>> = {
  private: [0],
  workspace: [1, 2],
  workspace_edit: [3, 4],
}

/** The criteria for lists. Objects are given by key. */
export type Sought = {
  readonly workspaceId: string
  readonly principal: Principal
  readonly objects: readonly string[]
  readonly types: readonly string[]
  readonly equal: Readonly<Partial<Record<'state' | 'layout' | 'owner_id', string>>>
  readonly visibilities: readonly number[] | undefined
  readonly search: string | undefined
}

function sought(
  sql: Sql,
  { workspaceId, principal, objects, types, equal, visibilities: among, search }: Sought,
): Knex.QueryBuilder {
  const { knex, dialect } = sql
  const found = knex('list as r')
    .where('r.workspace_id', workspaceId)
    .where(dialect.oneOf('r.object', objects, 'text'))
    .whereIn('r.type', [...types])
  for (const [column, value] of Object.entries(equal)) found.where(`r.${column}`, value)
  if (among !== undefined) found.whereIn('r.visibility', [...among])
  const title: Knex.Raw = knex.ref('r.title')
  if (search !== undefined) found.where(dialect.contains(dialect.fold(title), fold(search)))
  return whereVisible(sql, found, 'r', principal)
}

/** The lists that a caller may see; sorting by title ignores case, and ties are broken by id. */
export const listsIn = (criteria: Sought): ListReader<ListRow> =>
  shortList({
    from: (sql) => sought(sql, criteria),
    columns: listColumns.map((name) => `r.${name}`),
    id: 'r.id',
  })
