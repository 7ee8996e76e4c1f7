import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { scratchFolder } from '../harness/scratch.ts'

const main = fileURLToPath(new URL('../../packages/cli/src/main.ts', import.meta.url))

export type Environment = Readonly<Record<string, string>>
export type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
  readonly json: ReturnType<typeof JSON.parse>
}

/** A command under way. */
export type Running = { readonly child: ChildProcess; readonly ended: Promise<Ended>; readonly stderr: () => string }

/** Starts the real command; it sees no setting but these and no login of a person, and reads what it is given. */
export function start(args: readonly string[], env: Environment = {}, input = ''): Running {
  const child = spawn(process.execPath, [main, ...args], {
    env: { PATH: process.env['PATH'], KONTOR_LOGINS: join(tmpdir(), 'none', 'logins.json'), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
    cwd: tmpdir(),
  })
  // A command that ends without reading it is none the worse.
  child.stdin.on('error', () => undefined)
  child.stdin.end(input)
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()))
  const ended = once(child, 'close').then(([code]): Ended => ({
    code: code as number | null,
    stdout,
    stderr,
    json: parsed(stdout),
  }))
  return { child, ended, stderr: () => stderr }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Runs the real command to its end. */
export const kontor = (args: readonly string[], env: Environment = {}, input = ''): Promise<Ended> =>
  start(args, env, input).ended

/** The same of a command whose result is in `data`: that is what its `json` is. */
export const answered = async (args: readonly string[], env: Environment = {}, input = ''): Promise<Ended> =>
  answerOf(await kontor(args, env, input))

export const answerOf = (ended: Ended): Ended => ({ ...ended, json: ended.json?.data })

/** The form of every failure: its exit code, nothing on stdout, and a message without a stack. */
export const failed = (code: number, message: RegExp) => ({
  code,
  stdout: '',
  stderr: { asymmetricMatch: (text: string) => message.test(text) && !/\n\s+at /.test(text) },
})

/** Texts of several lines, each of which has a pattern. */
export const lines = (...patterns: readonly RegExp[]): RegExp =>
  new RegExp(patterns.map(({ source }) => source).join(String.raw`\n`))

/** Writes a file into a folder of its own. */
export async function scratchFile(content: string | Uint8Array, name = 'people.csv'): Promise<string> {
  const path = join(await scratchFolder(), name)
  await writeFile(path, content)
  return path
}

/** Runs the real command on a terminal; what a person would see of it. */
export async function onTerminal(
  args: readonly string[],
  env: Environment,
): Promise<{ code: number | null; output: string }> {
  const command = [process.execPath, main, ...args].map((word) => `'${word}'`).join(' ')
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], TERM: 'xterm', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, output }
}
