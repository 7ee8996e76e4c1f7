import type { Migration } from './words.ts'

/** A search document that changes leaves the index of SQLite, as a deleted one does; Postgres knows by itself. */
export const migration: Migration = {
  name: '0160-changed-documents',
  rolling: true,
  up: ({ dialect }) =>
    dialect === 'postgres'
      ? []
      : [
          `create trigger search_document_changed after update of grams on search_document
            when old.grams is not null and new.grams is null begin
              insert into search_index (search_index, rowid, grams) values ('delete', old.id, old.grams);
            end`,
        ],
  down: ({ dialect }) => (dialect === 'postgres' ? [] : ['drop trigger search_document_changed']),
}
