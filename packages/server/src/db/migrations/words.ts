export type DialectName = 'sqlite' | 'postgres'

/** The SQL in which the two databases differ when tables are created; a migration is one text for both. */
export type Words = {
  readonly dialect: DialectName
  readonly uuid: string
  /** Text that sorts and compares by its bytes, whatever the database's own collation is. */
  readonly text: string
  readonly integer: string
  readonly float: string
  readonly boolean: string
  readonly json: string
  /** JSON that comes back in the order of its members, as it was written. */
  readonly document: string
  /** Whole milliseconds since 1970. */
  readonly timestamp: string
  /** Ends the definition of a table of small rows that are always accessed through the primary key. */
  readonly narrow: string
  /** Ends the definition of every other table. */
  readonly wide: string
  /** Columns that a key's index carries without being part of the key. */
  readonly including: (columns: string) => string
  /** Ends the definition of a table that is partitioned by workspace; `partitions` creates the partitions. */
  readonly byWorkspace: string
  readonly partitions: (table: string, settings?: string) => string[]
}

export type Migration = {
  readonly name: string
  /**
   * Servers and workers that do not know it may go on working while it runs and afterwards (0401). Without it, it
   * waits until none of them is connected.
   */
  readonly rolling?: true
  readonly up: (words: Words) => string[]
  readonly down: (words: Words) => string[]
}

/** Enough to keep vacuum and index depth small at a hundred million rows, few enough to plan over quickly. */
const partitionCount = 16

const sqlite: Words = {
  dialect: 'sqlite',
  uuid: 'text',
  text: 'text',
  integer: 'integer',
  float: 'real',
  boolean: 'integer',
  json: 'text',
  document: 'text',
  timestamp: 'integer',
  // The row is the key, so a second copy of it in an index of its own would only cost space.
  narrow: 'strict, without rowid',
  // Documents of several KiB inside the tree of the keys would leave a few keys to a page: they stay beside it.
  wide: 'strict',
  // A table without rowid holds all its columns in the tree of its key.
  including: () => '',
  byWorkspace: '',
  partitions: () => [],
}

const postgres: Words = {
  dialect: 'postgres',
  uuid: 'uuid',
  text: 'text collate "C"',
  integer: 'bigint',
  float: 'float8',
  boolean: 'boolean',
  json: 'jsonb',
  document: 'json',
  timestamp: 'bigint',
  narrow: '',
  wide: '',
  including: (columns) => ` include (${columns})`,
  byWorkspace: 'partition by hash (workspace_id)',
  partitions: (table, settings = '') =>
    Array.from({ length: partitionCount }, (_, remainder) => {
      const part = `${table}_p${String(remainder).padStart(2, '0')}`
      return (
        `create table ${part} partition of ${table} for values with (modulus ${partitionCount}, remainder ` +
        `${remainder}) ${settings}`
      ).trim()
    }),
}

export const words: Readonly<Record<DialectName, Words>> = { sqlite, postgres }
