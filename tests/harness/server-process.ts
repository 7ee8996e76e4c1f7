import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFailed, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../../packages/server/src/main.ts', import.meta.url))

/** A server as users start it, in a process of its own on a free port; it is gone when the test has finished. */
export async function startServer(databaseUrl: string, settings: Readonly<Record<string, string>> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'kontor-server-'))
  const environment = {
    PATH: process.env['PATH'],
    PORT: '0',
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    LOG_LEVEL: 'warn',
    KONTOR_DEMO: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    ...settings,
  }
  const child = spawn(process.execPath, [main], { cwd: folder, env: environment, stdio: ['ignore', 'pipe', 'pipe'] })
  const gone = once(child, 'exit')
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await gone
    return child.exitCode
  }
  onTestFailed(() => void process.stderr.write(`What the server at ${baseUrl} said:\n${output}\n`))
  onTestFinished(async () => {
    await end('SIGKILL')
    await rm(folder, { recursive: true, force: true })
  })
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const found = /API +(http\S+)/.exec(output)?.[1]
      if (found !== undefined) resolve(found)
    })
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}: ${output}`)))
  })
  return {
    baseUrl,
    pid: child.pid as number,
    output: () => output,
    kill: () => end('SIGKILL'),
    terminate: () => end('SIGTERM'),
  }
}
