import type { SqliteConnection } from './sqlite-connection.ts'

/**
 * So many rows of `field_gram` wait to be indexed together. Every search by grams reads them one by one, which takes a part
 * of a millisecond; a row by itself would cost a create four times as much.
 */
const waitingMax = 256

/** Brings rows that wait into the index over them, if they are many enough. */
export function indexGrams(connection: SqliteConnection): void {
  const { indexed = 0, last = 0 } = connection.first(
    'select indexed_id as indexed, (select max(id) from field_gram) as last from gram_index_head',
    [],
  ) as { indexed?: number; last?: number }
  if (last - indexed < waitingMax) return
  connection.run('insert into gram_index (rowid, grams) select id, grams from field_gram where id > ? and id <= ?', [
    indexed,
    last,
  ])
  connection.run('update gram_index_head set indexed_id = ?', [last])
}
