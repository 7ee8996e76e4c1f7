/** Runs the examples on an embedded database and on a Postgres of their own; what `npm test` calls. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const examples = ['first-steps.ts', 'sales-operations.ts', 'committees/walk.ts', 'committees/sharing.ts']

function runAll(env: NodeJS.ProcessEnv): void {
  for (const example of examples) {
    const { status } = spawnSync(process.execPath, [here(example)], { stdio: 'inherit', env })
    if (status !== 0) process.exitCode = 1
  }
}

const { DATABASE_URL: _, ...environment } = process.env
runAll(environment)

// The cluster lives for as long as this pipe is open.
const keeper = spawn(process.execPath, [here('../tests/harness/postgres-keeper.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
const [url] = (await Promise.race([once(keeper.stdout, 'data'), once(keeper, 'exit').then(() => [''])])) as [Buffer | '']
if (url === '') process.exitCode = 1
else runAll({ ...environment, DATABASE_URL: url.toString().trim() })
keeper.stdin.end()
