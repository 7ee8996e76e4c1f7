import { ReadTx, Tx } from '@kontor/server/admin'
import type { AppOptions } from '@kontor/server'
import { overriding } from '../overriding.ts'

type Database = AppOptions['database']

/** A database that notes each statement that it is sent, with its values. */
export function noting(database: Database, sent: string[]): Database {
  const note = (command: object): void => {
    const { text = JSON.stringify(command), values = [] } = command as { text?: string; values?: readonly unknown[] }
    sent.push(`${text} ${values.map(String).join(' ')}`)
  }
  const { executor } = database.reader
  const reader = new ReadTx({
    ...executor,
    send(query) {
      note(query)
      return executor.send(query)
    },
  })
  return overriding(database, {
    reader,
    write: (work) => {
      sent.push('begin', 'commit')
      return database.write((tx) =>
        work(
          new Tx({
            ...tx.executor,
            send(command) {
              note(command)
              return tx.executor.send(command)
            },
          }),
        ),
      )
    },
  })
}
