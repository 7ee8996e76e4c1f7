import type { Database, Tx } from './tx.ts'

/**
 * The same database for work that nobody waits for: so many transactions of it at once at most, which leaves the other
 * connections, or the other turns of the one writer, to requests.
 */
export function sparing(database: Database, transactionsMax: number): Database {
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
    close: () => database.close(),
  }
}
