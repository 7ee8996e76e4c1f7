/**
 * Runs the examples on embedded databases and on Postgres, at the same time and each on one of its own; what `npm run
 * test:examples` calls. Arguments name some of them, as by `agent` or `meetings/walk.ts`.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { walks as examples } from './walks.ts'

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url))

/** The output of a program, and whether it succeeded. */
type Outcome = { readonly output: string; readonly isGood: boolean }

async function run(example: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const child = spawn(process.execPath, [here(example)], { stdio: ['ignore', 'pipe', 'pipe'], env })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { output, isGood: code === 0 }
}

/** The cluster lives for as long as the pipe to its keeper is open. */
async function runOnPostgres(example: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const keeper = spawn(process.execPath, [here('../tests/harness/postgres-keeper.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(keeper, 'exit')
  const [url] = (await Promise.race([once(keeper.stdout, 'data'), ended.then(() => [''])])) as [Buffer | '']
  if (url === '') return { output: 'There is no Postgres.\n', isGood: false }
  const outcome = await run(example, { ...env, DATABASE_URL: url.toString().trim() })
  keeper.stdin.end()
  await ended
  return outcome
}

const { DATABASE_URL: _, ...environment } = process.env
const named = process.argv.slice(2)
const unknown = named.filter((name) => !examples.some((example) => example.startsWith(name)))
if (unknown.length > 0) {
  process.stderr.write(`There is no example ${unknown.join(', ')}. Examples: ${examples.join(', ')}\n`)
  process.exit(2)
}
const wanted = examples.filter((example) => named.length === 0 || named.some((name) => example.startsWith(name)))
for (const example of wanted) {
  for (const { output, isGood } of await Promise.all([
    run(example, environment),
    runOnPostgres(example, environment),
  ])) {
    process.stdout.write(output)
    if (!isGood) process.exitCode = 1
  }
}
