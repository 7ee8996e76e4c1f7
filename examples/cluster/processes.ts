import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'

/** A program in a process of its own. */
export type Program = {
  readonly child: ChildProcess
  readonly ended: Promise<unknown>
  readonly end: (signal: NodeJS.Signals) => Promise<void>
}

/** Ends what hangs: on a busy machine a start takes a minute. */
const startMs = 300_000

/** The programs that run. */
const running = new Set<Program>()

/** Ends all programs at once, of a walk that has failed half-way too. */
export async function endPrograms(): Promise<void> {
  await Promise.all([...running].map(({ end }) => end('SIGKILL')))
}

process.once('exit', () => {
  for (const { child } of running) child.kill('SIGKILL')
})
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(1))

/** Starts a program, and waits until its output matches. Throws with its output if it ends before, or is too slow. */
export async function startProgram(
  program: string,
  args: readonly string[],
  { ready, ...options }: SpawnOptions & { readonly ready: RegExp },
): Promise<Program> {
  const child = spawn(program, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const ended = once(child, 'exit')
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) child.kill(signal)
    await ended
  }
  const started: Program = { child, ended, end }
  running.add(started)
  child.once('exit', () => running.delete(started))
  let output = ''
  await new Promise<void>((resolve, reject) => {
    const refuse = (): void => reject(new Error(`${program} ${args.join(' ')} did not start:\n${output}`))
    const timer = setTimeout(refuse, startMs)
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-10_000)
        if (!ready.test(output)) return
        clearTimeout(timer)
        resolve()
      })
    child.once('exit', refuse)
    child.once('error', refuse)
  })
  return started
}

/** Finds ports of this machine that are free now. */
export async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  for (const server of servers) server.close()
  return ports
}
