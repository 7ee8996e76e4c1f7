import { deserialize, serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { otherMiB, slots, type FromProcess, type TaskRequest, type ToProcess } from './protocol.ts'
import { Parked, Talk } from './talk.ts'
import type { TaskLimits } from './task.ts'

// A process of its own, without rights: no file to write, no other process, no setting of the server.

type TaskModule = { readonly run: (input: unknown, talk: Talk) => unknown }

const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length))
new Worker(new URL('watch.ts', import.meta.url), { workerData: shared.buffer }).unref()

/** A server that has gone away needs no further messages. */
const send = (message: FromProcess): void =>
  void process.send?.(message, (error: Error | null) => error !== null && process.exit())

/** Runs a task; `begin` is handed what the messages of the server are for, until the run ends. */
async function run({ module, input, limits, past }: TaskRequest, begin: (talk: Talk) => void): Promise<FromProcess> {
  const { run: work } = (await import(module)) as TaskModule
  const startedMs = cpuMs()
  watch(limits, startedMs)
  try {
    const talk = new Talk(send, past, () => cpuMs() - startedMs)
    begin(talk)
    const output = serialize(await work(deserialize(input), talk))
    return output.length > limits.outputBytes ? { outputBytes: output.length } : { output }
  } catch (error) {
    if (error instanceof Parked) return { parked: true }
    return { error: error instanceof Error ? String(error.stack) : String(error), isTooDeep: isTooDeep(error) }
  } finally {
    unwatch()
  }
}

/**
 * Returns whether a task has thrown because its input is nested too deeply: for the stack of the process, or for that
 * of a WebAssembly module in it, which throws a `RuntimeError`.
 */
const isTooDeep = (error: unknown): boolean =>
  error instanceof Error &&
  (error.name === 'RuntimeError' || (error instanceof RangeError && error.message.includes('call stack')))

function watch({ cpuMs: cpuMsMax, heapMiB }: TaskLimits, cpuMsBefore: number): void {
  Atomics.store(shared, slots.cpuMsBefore, cpuMsBefore)
  Atomics.store(shared, slots.memoryMiBMax, heapMiB + otherMiB)
  Atomics.store(shared, slots.cpuMsMax, cpuMsMax)
  Atomics.notify(shared, slots.cpuMsMax)
}

function unwatch(): void {
  Atomics.store(shared, slots.cpuMsMax, 0)
  Atomics.notify(shared, slots.cpuMsMax)
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

function serve(): void {
  let talk: Talk | undefined
  process.on('message', (message: ToProcess) => {
    if ('run' in message) void run(message.run, (begun) => (talk = begun)).then(send)
    else if ('answer' in message) talk?.answer(message.answer)
    else talk?.park()
  })
}

serve()
// The server decides when its processes end: a signal to the whole group must not kill them while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
send({ ready: true })
