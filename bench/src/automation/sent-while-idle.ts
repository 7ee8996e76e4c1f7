import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigured, readConfig, ReadTx, Tx } from '@kontor/server/admin'
import type { AppOptions } from '@kontor/server'
import { appOver } from '../in-process.ts'
import { overriding } from '../overriding.ts'

type Database = AppOptions['database']

/** Long enough for the work of a server at its start. */
const settleMs = 20_000

/** Lists the statements that a server of this process sends in a time in which nothing happens. */
export async function sentWhileIdle(url: string, forMs: number): Promise<readonly string[]> {
  const opened = openConfigured(readConfig({ DATABASE_URL: url }))
  const sent: string[] = []
  const app = appOver(noting(opened, sent), 'http://127.0.0.1:1')
  try {
    await app.runner.start()
    await sleep(settleMs)
    sent.length = 0
    await sleep(forMs)
    return sent
  } finally {
    await app.runner.stop(1000)
    await opened.close()
  }
}

/** A database that notes each statement that it is sent, with its values. */
function noting(database: Database, sent: string[]): Database {
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
