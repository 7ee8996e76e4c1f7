import { grams } from './0008-field-index.ts'
import type { Migration, Words } from './words.ts'

/** Existing rows are dropped and rebuilt on demand: that is quicker than reading every record now. */
const dropped = ({ dialect }: Words): string[] => [
  "delete from field_index_state where kind = 'grams'",
  ...(dialect === 'sqlite' ? ['drop table gram_index_head', 'drop table gram_index'] : []),
  'drop table field_gram',
]

/**
 * The creation time of a record is stored with its trigrams: most lists are read in that order, and then need no record
 * lookup.
 */
export const migration: Migration = {
  name: '0019-gram-times',
  up: (words) => [...dropped(words), ...grams(words, `\n    created_at ${words.timestamp} not null,`)],
  down: (words) => [...dropped(words), ...grams(words)],
}
