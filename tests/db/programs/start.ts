/**
 * One node that starts: opens the database of its first argument and migrates it. Prints the version, and `waited`
 * where it had to wait.
 */
import { migrate } from '../../../packages/server/src/db/migrate.ts'
import { openDatabase } from '../../../packages/server/src/db/open.ts'

const database = openDatabase({ url: process.argv[2]!, statementTimeoutMs: 5000, connectionsMax: 2, readersMax: 1 })
const { current } = await migrate(database, { onWait: () => process.stdout.write('waited ') })
process.stdout.write(String(current))
await database.close()
