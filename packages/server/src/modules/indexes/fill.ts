import type { Tx } from '../../db/tx.ts'
import { findIndex } from './write.ts'
import { type ObjectModel, lockRecords } from '../objects/index.ts'
import { indexRows, indexTables } from './rows.ts'
import {
  listNextRecords,
  lockFilling,
  newestCreation,
  updateIndexState,
  type Filling,
  type IndexName,
} from './store.ts'

type Filled = 'more' | 'ready'

type Build = {
  readonly workspaceId: string
  readonly object: ObjectModel
  readonly name: IndexName
  readonly rows: number
  readonly now: number
}

/**
 * Continues a build by one batch of records, in a transaction of its own. Any node may run it, any number of times, at
 * any time: the progress is committed with the rows.
 */
export async function fillBatch(tx: Tx, build: Build): Promise<Filled> {
  const { workspaceId, name, now } = build
  const filling = await lockFilling(tx, workspaceId, name)
  if (filling === undefined || filling.state === 'ready') return 'ready'
  const until = filling.until_at ?? (await newestCreation(tx, workspaceId, name.object))
  const next = await listNextRecords(tx, workspaceId, name.object, filling, until, build.rows)
  await indexRecords(
    tx,
    build,
    next.map(({ id }) => id),
  )
  const last = next.at(-1)
  const progress: Partial<Filling> = {
    until_at: until,
    ...(last !== undefined && { filled: filling.filled + next.length, filled_at: last.created_at, filled_id: last.id }),
  }
  const ready = next.length < build.rows
  await updateIndexState(tx, workspaceId, name, ready ? { ...progress, state: 'ready', ready_at: now } : progress)
  return ready ? 'ready' : 'more'
}

/**
 * Locks the records and inserts their rows. An earlier change is seen; a later one waits and finds the rows. A record
 * that already has its rows was written by a transaction that knew of the index.
 */
async function indexRecords(tx: Tx, { workspaceId, object, name }: Build, ids: readonly string[]): Promise<void> {
  const index = findIndex(object, name)
  if (index === undefined || ids.length === 0) return
  const records = await lockRecords(tx, workspaceId, object.key, ids, 'change')
  const rows = indexRows(workspaceId, object, [index], records)
  for (const table of indexTables) if (rows[table].length > 0) await tx.insertNew(table, rows[table], ['record_id'])
}
