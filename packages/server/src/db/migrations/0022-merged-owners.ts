import type { Migration } from './words.ts'

/** Who owned a record that was merged, and who merged it, stand with its trace, which outlives the record: its owner goes on managing what it lives on in. */
export const migration: Migration = {
  name: '0022-merged-owners',
  up: ({ uuid }) => [
    `alter table merged_record add column owner_id ${uuid}`,
    `alter table merged_record add column merged_by ${uuid}`,
    'update merged_record set owner_id = (select r.owner_id from record as r where r.workspace_id = merged_record.workspace_id and r.id = merged_record.merged_id)',
  ],
  down: () => ['alter table merged_record drop column merged_by', 'alter table merged_record drop column owner_id'],
}
