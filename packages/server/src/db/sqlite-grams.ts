import { memberOf, numberOf } from '../lib/guards.ts'
import type { SqliteConnection } from './sqlite-connection.ts'

/**
 * The rows of `field_gram` that wait to be indexed in one batch. Every search by grams reads the waiting rows one by
 * one, which takes a fraction of a millisecond; indexing each row by itself would make a create four times as
 * expensive.
 */
const waitingMax = 256

/** Indexes the waiting rows once there are enough of them. */
export function indexGrams(connection: SqliteConnection): void {
  const head = connection.first(
    'select indexed_id as indexed, (select max(id) from field_gram) as last from gram_index_head',
    [],
  )
  const indexed = numberOf(memberOf(head, 'indexed') ?? 0)
  const last = numberOf(memberOf(head, 'last') ?? 0)
  if (last - indexed < waitingMax) return
  connection.run('insert into gram_index (rowid, grams) select id, grams from field_gram where id > ? and id <= ?', [
    indexed,
    last,
  ])
  connection.run('update gram_index_head set indexed_id = ?', [last])
}
