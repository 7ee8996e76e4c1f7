import type { Database, Tx } from './tx.ts'

/**
 * Transactions at once of work that nobody waits for. On Postgres the other connections of the pool are for requests; on
 * SQLite a request finds one such transaction before it in the queue of the one writer, never several.
 */
const transactionsAtOnce = { postgres: 4, sqlite: 1 }

/** The same database for work that nobody waits for. */
export function withBackgroundWrites(database: Database): Database {
  const transactionsMax = transactionsAtOnce[database.dialect.name]
  const waiting: (() => void)[] = []
  let open = 0
  return {
    dialect: database.dialect,
    reader: database.reader,
    async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      if (open === transactionsMax) await new Promise<void>((resolve) => waiting.push(resolve))
      else open++
      try {
        return await database.write(work)
      } finally {
        // Whoever waits takes over the place.
        const next = waiting.shift()
        if (next === undefined) open--
        else next()
      }
    },
    isCrowded: (work) => database.isCrowded(work),
    figures: database.figures,
    hear: (topic, listener) => database.hear(topic, listener),
    ping: () => database.ping(),
    get writesAway() {
      return database.writesAway
    },
    probe: () => database.probe(),
    close: () => database.close(),
  }
}
