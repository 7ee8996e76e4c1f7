/** One node that does the steps: a runner on the database of its first argument, until it is killed. Prints "begun". */
import { openDatabase } from '../../../packages/server/src/db/open.ts'
import { Runner } from '../../../packages/server/src/engine/runner.ts'
import { errorLog } from '../../harness/log.ts'
import { steps } from './steps.ts'

const database = openDatabase({ url: process.argv[2]!, statementTimeoutMs: 5000, connectionsMax: 4, readersMax: 1 })
const runner = new Runner({
  database,
  clock: { now: () => Date.now(), monotonicMs: () => performance.now() },
  logger: errorLog().logger,
  kinds: [steps],
  recurring: [],
  pollMs: 50,
})
await runner.start()
process.stdout.write('begun\n')
