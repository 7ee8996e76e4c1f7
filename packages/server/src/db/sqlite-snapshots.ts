import { type Executor, readsOfOneState, type StateRequest } from './executor.ts'
import { theServer } from './heavy-reads.ts'
import type { ReaderPool } from './readers/pool.ts'
import type { SqliteConnection } from './sqlite-connection.ts'
import { sqliteReadsOf } from './sqlite-executor.ts'

type SnapshotOptions = {
  readonly compiler: Pick<Executor, 'sql' | 'compiled'>
  /** The connection of light reads. */
  readonly connection: SqliteConnection
  readonly pool: ReaderPool
  readonly reads: Omit<Executor, 'inOneState'>
}

/** Attempts to read between two commits. */
const attemptsMax = 2

/**
 * Reads that all see one state (docs/decisions/0314). They go their usual ways, light ones here and heavy ones in any
 * process: if nothing was committed meanwhile, that was one state. Where others keep writing, they are read in one
 * transaction of one process.
 */
export class SqliteSnapshots {
  readonly #options: SnapshotOptions

  constructor(options: SnapshotOptions) {
    this.#options = options
  }

  async run<T>(work: (reads: Executor) => Promise<T>, { party = theServer, isLong }: StateRequest = {}): Promise<T> {
    const { compiler, pool, reads } = this.#options
    if (isLong === true) return pool.inOwnReader((read) => work(sqliteReadsOf(compiler, read)))
    for (let attempt = 1; attempt <= attemptsMax; attempt++) {
      const before = this.#version()
      const value = await work(readsOfOneState(reads))
      if (this.#version() === before) return value
    }
    return pool.inOneState(party, (read) => work(sqliteReadsOf(compiler, read)))
  }

  /** A number that changes with every commit of another connection, as this one is told. */
  #version(): unknown {
    const [row] = this.#options.connection.all('pragma data_version', [])
    return row?.['data_version']
  }
}
