import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFailed, onTestFinished } from 'vitest'

const server = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))
const cli = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

type Settings = Readonly<Record<string, string>>

/** A server as users start it, in a process of its own on a free port; it is gone when the test has finished. */
export const startServer = async (databaseUrl: string, settings: Settings = {}) => {
  const { url, ...process } = await startProcess([server], /API +(http\S+)/, databaseUrl, settings)
  return { baseUrl: url, ...process }
}

/** A worker in the same way; `origin` is where it says how it is. */
export const startWorker = async (databaseUrl: string, settings: Settings = {}) => {
  const monitored = { WORKER_PORT: '0', ...settings }
  const { url, ...process } = await startProcess([cli, 'worker'], /Health +(http\S+)\/readyz/, databaseUrl, monitored)
  return { origin: url, ...process }
}

async function startProcess(command: readonly string[], ready: RegExp, databaseUrl: string, settings: Settings) {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-server-'))
  const environment = {
    PATH: process.env['PATH'],
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    KONTOR_DEMO: '0',
    DRAIN_MS: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  }
  const child = spawn(process.execPath, command, { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
    return child.exitCode
  }
  onTestFailed(() => void process.stderr.write(`What ${command.join(' ')} said:\n${output}\n`))
  onTestFinished(async () => {
    await end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const url = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = ready.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)))
  })
  return {
    url,
    pid: child.pid as number,
    output: () => output,
    /** Resolves once it is gone, whatever has ended it. */
    gone: gone.then(() => undefined),
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
  }
}
