import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../harness/free-port.ts'
import { emptyDatabase } from '../harness/database.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { isProgram, nameOf, type Snippet } from './snippets.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/**
 * Precedes the commands of a page read for the first time: curl fails where the server refuses, also within `$(…)`,
 * whose failures a shell passes over.
 */
const strict = `set -e
curl() { command curl --fail-with-body "$@" || { local code=$?; echo "curl $*" >> refused; return $code; }; }
`

/** Precedes the commands of a page read again: the server may refuse to create what exists, but no command may fail. */
const lenient = 'set -e\nexport KONTOR_READ_AGAIN=yes\n'

/**
 * Runs npm in the repository, as readers do. A program, so that `kill $!` reaches it and not a shell around it. When a
 * page is read again, the command line too may refuse to create what exists.
 */
const npm = `#!/bin/sh
PATH="\${PATH#*:}"
case "$KONTOR_READ_AGAIN $*" in
  yes*"workspace create"* | yes*"user add"*)
    said=$(npm --prefix ${root} "$@" 2>&1) || case "$said" in *already*) ;; *) echo "$said" >&2; exit 1 ;; esac
    echo "$said" ;;
  *) exec npm --prefix ${root} "$@" ;;
esac
`

/** Somebody with the repository and a server from `npm start`, which has the sample data and nothing else. */
export async function startReader(onTestFinished: (end: () => Promise<void>) => void) {
  const folder = await scratchFolder()
  const scratch = await emptyDatabase()
  onTestFinished(() => scratch.remove())
  const settings = { DATA_DIR: join(folder, 'data'), WEBHOOK_ALLOWED_HOSTS: '127.0.0.1', AUTH_URL: '' }
  const { baseUrl } = await startServer(scratch.url, { ...settings, KONTOR_DEMO: '1', RATE_LIMIT_PER_MINUTE: '3000' })
  // Programs find the packages that readers install: of the repository's examples, and generators of clients.
  for (const [own, packages] of [
    ['examples', 'examples'],
    ['clients', 'tests/clients'],
  ] as const) {
    await mkdir(join(folder, own))
    await symlink(join(root, packages, 'node_modules'), join(folder, own, 'node_modules'))
  }
  await cp(join(root, 'examples/data'), join(folder, 'examples/data'), { recursive: true })
  await mkdir(join(folder, 'bin'))
  await writeFile(join(folder, 'bin/npm'), npm)
  await chmod(join(folder, 'bin/npm'), 0o755)
  const ports = { 0: await freePort(), 1: await freePort(), 2: await freePort() }
  const here = (text: string): string =>
    text
      .replaceAll('http://127.0.0.1:4000', new URL(baseUrl).origin)
      .replaceAll(/(?<![\d,])300([012])(?!\d)/g, (_, last: '0' | '1' | '2') => String(ports[last]))
  const environment = {
    PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
    HOME: process.env['HOME'],
    DATABASE_URL: scratch.url,
    ...settings,
    KONTOR_BASE_URL: baseUrl,
  }

  /** Saves the programs of a page and types its commands into one shell, in order. Returns what went wrong. */
  const read = async (snippets: readonly Snippet[], { again = false } = {}): Promise<string | undefined> => {
    await writeFile(join(folder, 'refused'), '')
    const commands: string[] = []
    for (const [index, snippet] of snippets.entries()) {
      if (isProgram(snippet)) await writeFile(join(folder, nameOf(snippet)), here(snippet.text))
      else
        commands.push(
          `echo "--- block ${index + 1}"`,
          here(snippet.text).replaceAll(/(?<![\w/])examples\//g, `${folder}/examples/`),
        )
    }
    const { code, output } = await inShell(`${again ? lenient : strict}${commands.join('\n')}`, folder, environment)
    const refused = await readFile(join(folder, 'refused'), 'utf8')
    return code === 0 && refused === '' ? undefined : `ended with ${code}\n${refused}${output}`
  }
  return { folder, read }
}

/** Commands that wait for something that does not come are ended. */
const patienceMs = 300_000

/** Runs a script to its end, and ends what it has left running in the background. */
async function inShell(script: string, cwd: string, env: NodeJS.ProcessEnv): Promise<{ code: number; output: string }> {
  const shell = spawn('bash', ['-c', script], { cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const closed = once(shell, 'close')
  const endGroup = (): void => {
    try {
      if (shell.pid !== undefined) process.kill(-shell.pid, 'SIGKILL')
    } catch {
      // Nothing is left of it.
    }
  }
  const patience = AbortSignal.timeout(patienceMs)
  patience.addEventListener('abort', endGroup)
  const [code] = await once(shell, 'exit')
  patience.removeEventListener('abort', endGroup)
  endGroup()
  await closed
  return { code, output }
}
