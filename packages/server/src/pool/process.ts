import { deserialize, serialize } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { otherMiB, slots, type TaskRequest, type TaskResponse } from './protocol.ts'

// A process of its own, without rights: no file to write, no other process, no setting of the server.

type TaskModule = { readonly run: (input: unknown) => unknown }

const shared = new Int32Array(new SharedArrayBuffer(4 * Object.keys(slots).length))
new Worker(new URL('watch.ts', import.meta.url), { workerData: shared.buffer }).unref()

/** A server that has gone away needs no further messages. */
const send = (message: TaskResponse): void =>
  void process.send?.(message, (error: Error | null) => error !== null && process.exit())

async function run({ module, input, limits }: TaskRequest): Promise<TaskResponse> {
  const { run: work } = (await import(module)) as TaskModule
  watch(limits.cpuMs, limits.heapMiB)
  try {
    const output = serialize(await work(deserialize(input)))
    return output.length > limits.outputBytes ? { outputBytes: output.length } : { output }
  } finally {
    unwatch()
  }
}

function watch(cpuMs: number, heapMiB: number): void {
  const { user, system } = process.cpuUsage()
  Atomics.store(shared, slots.cpuMsBefore, (user + system) / 1000)
  Atomics.store(shared, slots.memoryMiBMax, heapMiB + otherMiB)
  Atomics.store(shared, slots.cpuMsMax, cpuMs)
  Atomics.notify(shared, slots.cpuMsMax)
}

function unwatch(): void {
  Atomics.store(shared, slots.cpuMsMax, 0)
  Atomics.notify(shared, slots.cpuMsMax)
}

process.on('message', (request: TaskRequest) => {
  void run(request).then(send, (error: unknown) =>
    send({ error: error instanceof Error ? String(error.stack) : String(error) }),
  )
})
// The server decides when its processes end: a signal to the whole group must not kill them while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
send({ ready: true })
