import type { Migration, Words } from './words.ts'

/** The list that an event in a feed is about, from its only change. */
const lists = ({ uuid }: Words): string =>
  `update activity set list_id = cast(coalesce(diff -> 0 ->> 'val', diff -> 0 ->> 'oldVal') as ${uuid})
   where type in ('svc:add-to-list', 'svc:remove-from-list')`

/**
 * Events of lists are for those who may see the list: feeds know which list an event is about, and who could see a list
 * that was deleted is kept. Of one that was deleted before, nothing is known: it is private, and nobody's.
 */
export const migration: Migration = {
  name: '0051-events-of-lists',
  up: (words) => [
    `alter table activity add column list_id ${words.uuid}`,
    lists(words),
    'create index activity_of_list on activity (workspace_id, record_id, list_id) where list_id is not null',
    `create table deleted_list (
      workspace_id ${words.uuid} not null,
      id ${words.uuid} not null,
      visibility ${words.integer} not null,
      owner_id ${words.uuid},
      primary key (workspace_id, id)
    ) ${words.narrow}`,
    `insert into deleted_list (workspace_id, id, visibility)
     select distinct a.workspace_id, a.list_id, 0 from activity as a
     where a.list_id is not null
       and not exists (select 1 from list as l where l.workspace_id = a.workspace_id and l.id = a.list_id)`,
  ],
  down: () => ['drop table deleted_list', 'drop index activity_of_list', 'alter table activity drop column list_id'],
}
