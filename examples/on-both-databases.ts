/** Runs the examples on embedded databases and on Postgres, each on one of its own; what `npm test` calls. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

const examples = ['first-steps.ts', 'sales-operations.ts', 'committees/walk.ts', 'committees/sharing.ts']

function run(example: string, env: NodeJS.ProcessEnv): void {
  const { status } = spawnSync(process.execPath, [here(example)], { stdio: 'inherit', env })
  if (status !== 0) process.exitCode = 1
}

/** The cluster lives for as long as the pipe to its keeper is open. */
async function runOnPostgres(example: string, env: NodeJS.ProcessEnv): Promise<void> {
  const keeper = spawn(process.execPath, [here('../tests/harness/postgres-keeper.ts')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = once(keeper, 'exit')
  const [url] = (await Promise.race([once(keeper.stdout, 'data'), ended.then(() => [''])])) as [Buffer | '']
  if (url === '') process.exitCode = 1
  else run(example, { ...env, DATABASE_URL: url.toString().trim() })
  keeper.stdin.end()
  await ended
}

const { DATABASE_URL: _, ...environment } = process.env
for (const example of examples) {
  run(example, environment)
  await runOnPostgres(example, environment)
}
