import type { Migration } from './words.ts'

/** The name of a counter, as `linkCounter` in `db/counters.ts` builds it. */
const named = (end: string): string => `l.relationship || '/${end}/' || cast(l.${end} as text)`

/**
 * How many records each record is linked to, under names among the counters of objects. Links are counted at the end
 * that they lead to. At the end that they come from, only links that are not a record's value are counted, since a
 * reference leads to a single record. The owner of a record and the like are counted too but never queried: a row for
 * each user.
 */
const counts = (end: string, isCounted = ''): string =>
  `insert into record_count (workspace_id, object, total)
   select l.workspace_id, ${named(end)}, count(*) from link l
   where l.hidden_by is null ${isCounted} group by l.workspace_id, l.relationship, l.${end}`

const isNoValue = `and not exists (
  select 1 from record r
  where r.workspace_id = l.workspace_id and r.id = l.from_id
    and r.data ->> substr(l.relationship, length(r.object) + 2) = cast(l.to_id as text))`

export const migration: Migration = {
  name: '0013-link-counts',
  up: () => [counts('to_id'), counts('from_id', isNoValue)],
  down: () => [
    "delete from record_count where object like '%/%'",
    "delete from record_count_delta where object like '%/%'",
  ],
}
