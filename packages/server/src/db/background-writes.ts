import type { Database, Tx, WriteRequest } from './tx.ts'

/**
 * Concurrent background transactions. On Postgres the other connections of the pool are left to requests. On SQLite
 * they share a commit, so that eight take hardly longer than one (docs/decisions/0044); a request finds at most so many
 * before it in the queue of the one writer.
 */
const transactionsAtOnce = { postgres: 4, sqlite: 8 }

/** Returns the same database with its writes limited to background priority, for work that no request waits for. */
export function withBackgroundWrites(database: Database): Database {
  const transactionsMax = transactionsAtOnce[database.dialect.name]
  const waiting: (() => void)[] = []
  let open = 0
  return {
    dialect: database.dialect,
    reader: database.reader,
    replicas: database.replicas,
    async write<T>(work: (tx: Tx) => Promise<T>, request?: WriteRequest): Promise<T> {
      if (open === transactionsMax) await new Promise<void>((resolve) => waiting.push(resolve))
      else open++
      try {
        return await database.write(work, request)
      } finally {
        // The next waiter takes over the slot.
        const next = waiting.shift()
        if (next === undefined) open--
        else next()
      }
    },
    isCrowded: (work) => database.isCrowded(work),
    figures: database.figures,
    subscribe: (...subscription) => database.subscribe(...subscription),
    send: (message) => database.send(message),
    receive: (...receiver) => database.receive(...receiver),
    get hearsOthers() {
      return database.hearsOthers
    },
    ping: () => database.ping(),
    get writesAway() {
      return database.writesAway
    },
    probe: () => database.probe(),
    close: () => database.close(),
  }
}
