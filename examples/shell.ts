import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { show } from './tell.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

export type Server = {
  readonly baseUrl: string
  readonly stop: () => Promise<void>
  /** Ends it at once (-9), as a crash does. */
  readonly kill: () => Promise<void>
  /** Settles when it has ended, however that came. */
  readonly ended: Promise<unknown>
}

/** `npm start`, until it has printed where it answers. */
export function startServer(): Promise<Server> {
  show('npm', 'start')
  return serve('npm', ['start'])
}

/** Runs a server, until it has printed where it answers. */
export async function serve(
  program: string,
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): Promise<Server> {
  // A process group of its own, since npm does not hand signals on to what it runs.
  const child = spawn(program, args, {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
    env: { ...process.env, ...settings },
  })
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid, signal)
    await ended
  }
  let output = ''
  for await (const chunk of child.stdout) {
    output += String(chunk)
    const baseUrl = /API\s+(http\S+)/.exec(output)?.[1]
    if (baseUrl === undefined) continue
    return { baseUrl, ended, stop: () => end('SIGTERM'), kill: () => end('SIGKILL') }
  }
  throw new Error(`${program} ended without serving:\n${output}`)
}

/** Runs the command line and reads what it prints as JSON. */
export const kontor = async <T>(...args: string[]): Promise<T> => JSON.parse(await kontorText(...args, '--json')) as T

/** Runs the command line and reads the result that it prints as JSON, which is in `data`. */
export const kontorData = async <T>(...args: string[]): Promise<T> => (await kontor<{ data: T }>(...args)).data

/** Makes a personal key of a member by the command line; returns its secret. */
export async function createPersonalKey(workspace: string, email: string): Promise<string> {
  const { data } = await kontor<{ data: { attributes: { cleartext_api_key: string } } }>(
    'key',
    'create',
    '--workspace',
    workspace,
    '--email',
    email,
    '--kind',
    'personal',
  )
  return data.attributes.cleartext_api_key
}

/** Runs the command line; what it prints. */
export const kontorText = (...args: string[]): Promise<string> =>
  run('npm', ['run', '-s', 'kontor', '--', ...args], root)

/** Runs a program to its end; what it prints. Throws where it fails. */
export async function run(program: string, args: readonly string[], folder: string): Promise<string> {
  show(program, ...args)
  const child = spawn(program, args, { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(child, 'close') as Promise<[number | null]>
  let output = ''
  for await (const chunk of child.stdout) output += String(chunk)
  const [code] = await ended
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}:\n${output}`)
  return output
}
