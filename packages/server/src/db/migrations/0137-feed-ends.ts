import type { Migration } from './words.ts'

/**
 * The end of a record's feed in the record's own row (0032). Rows of before have none: it is found in the feed at the
 * next event.
 */
export const migration: Migration = {
  name: '0137-feed-ends',
  up: ({ document }) => [`alter table record add column feed_end ${document}`],
  down: () => ['alter table record drop column feed_end'],
}
