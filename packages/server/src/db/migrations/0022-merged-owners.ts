import type { Migration } from './words.ts'

/**
 * The owner of a merged record, and the user who merged it, are stored with its merge entry, which outlives the record:
 * its owner still manages the record that it was merged into.
 */
export const migration: Migration = {
  name: '0022-merged-owners',
  up: ({ uuid }) => [
    `alter table merged_record add column owner_id ${uuid}`,
    `alter table merged_record add column merged_by ${uuid}`,
    'update merged_record set owner_id = (select r.owner_id from record as r where r.workspace_id = ' +
      'merged_record.workspace_id and r.id = merged_record.merged_id)',
  ],
  down: () => ['alter table merged_record drop column merged_by', 'alter table merged_record drop column owner_id'],
}
