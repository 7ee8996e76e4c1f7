import type { RestClient } from '@kontor/client'
import type { CsvRow } from './csv.ts'
import type { Persistence } from './persist.ts'

export type Rejection = CsvRow & { readonly reason: string }

export type Reject = (rejection: Rejection) => void

/** The server that an import writes to. */
export type Destination = {
  readonly rest: RestClient
  readonly workspace: string
  readonly persistence: Persistence
}

/** Writes the rows of one file: as records, or as links between records. */
export type Importer = {
  /** Counts of the rows that were not rejected, by outcome. */
  readonly counts: Readonly<Record<string, number>>
  /** How many linked records were created, by object. */
  readonly createdLinked: ReadonlyMap<string, number>
  /** Columns that no mapping takes. */
  readonly unused: readonly string[]
  /** Writes rows and rejects the faulty ones. Throws when the import as a whole cannot go on. */
  readonly send: (rows: readonly CsvRow[], reject: Reject) => Promise<void>
}
