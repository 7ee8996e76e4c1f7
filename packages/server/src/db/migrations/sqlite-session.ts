import { setTimeout as sleep } from 'node:timers/promises'
import { isBusy, type SqliteConnection } from '../sqlite-connection.ts'
import type { SqliteDatabase } from '../sqlite-database.ts'
import { appliedFrom, type Applied, type MigrationSession, type Plan } from './session.ts'
import { writeStatistics } from './sqlite-statistics.ts'

/** The time for which a start waits for another process that migrates the same file. */
const lockWaitsMax = 600
const lockWaitMs = 100

const history = `create table if not exists kontor_migration (
  number integer not null,
  name text not null,
  applied_at integer not null,
  primary key (number)
) strict`

/** SQLite: the write lock of the file is the lock, and nothing is awaited between BEGIN and COMMIT. */
export function sqliteSession({ migrationConnection: connection }: SqliteDatabase): MigrationSession {
  return {
    applied: async () => appliedOf(connection),
    step: async (plan, onWait) => {
      await begin(connection, onWait)
      try {
        const more = run(connection, plan)
        connection.exec('commit')
        return more
      } catch (error) {
        if (connection.driver.inTransaction) connection.exec('rollback')
        throw error
      }
    },
  }
}

async function begin(connection: SqliteConnection, onWait: () => void): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      connection.exec('begin immediate')
      return
    } catch (error) {
      if (!isBusy(error) || attempt === lockWaitsMax) throw error
      onWait()
      await sleep(lockWaitMs)
    }
  }
}

function run(connection: SqliteConnection, plan: Plan): boolean {
  connection.exec(history)
  const step = plan(appliedOf(connection))
  if (step === undefined) return false
  for (const statement of step.statements) connection.exec(statement)
  if (step.direction === 'down') connection.run('delete from kontor_migration where number = ?', [step.number])
  else {
    const now = "cast(unixepoch('subsec') * 1000 as integer)"
    connection.run(`insert into kontor_migration (number, name, applied_at) values (?, ?, ${now})`, [
      step.number,
      step.name,
    ])
    if (step.rolling) connection.run('update kontor_migration set rolling = 1 where number = ?', [step.number])
  }
  writeStatistics(connection)
  return true
}

function appliedOf(connection: SqliteConnection): Applied {
  const exists = connection.all("select 1 as one from sqlite_schema where name = 'kontor_migration'", [])
  if (exists.length === 0) return []
  const rows: unknown = connection.all('select * from kontor_migration order by number', [])
  return appliedFrom(rows as Applied)
}
