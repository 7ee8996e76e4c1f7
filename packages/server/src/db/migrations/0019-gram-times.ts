import { grams } from './0008-field-index.ts'
import type { Migration, Words } from './words.ts'

/** What was there is thrown away, and made again when somebody asks for it: that is quicker than to read every record now. */
const dropped = ({ dialect }: Words): string[] => [
  "delete from field_index_state where kind = 'grams'",
  ...(dialect === 'sqlite' ? ['drop table gram_index_head', 'drop table gram_index'] : []),
  'drop table field_gram',
]

/** When a record was created stands beside its trigrams: in that order most lists are read, and no record need be looked at for it. */
export const migration: Migration = {
  name: '0019-gram-times',
  up: (words) => [...dropped(words), ...grams(words, `\n    created_at ${words.timestamp} not null,`)],
  down: (words) => [...dropped(words), ...grams(words)],
}
