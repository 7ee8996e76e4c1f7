import { memoryUsage } from 'node:process'
import { workerData } from 'node:worker_threads'
import { memorySignal, slots, timeSignal } from './protocol.ts'

// A thread that ends its own process when a task takes too much: nothing that the main thread does holds it up, and it
// needs no right to look at other processes.

const lookEveryMs = 25

const shared = new Int32Array(workerData as SharedArrayBuffer)
const server = process.ppid

for (;;) {
  const cpuMsMax = Atomics.load(shared, slots.cpuMsMax)
  if (cpuMsMax === 0) {
    Atomics.wait(shared, slots.cpuMsMax, 0)
    continue
  }
  Atomics.wait(shared, slots.cpuMsMax, cpuMsMax, lookEveryMs)
  if (Atomics.load(shared, slots.cpuMsMax) === 0) continue
  const { user, system } = process.cpuUsage()
  if ((user + system) / 1000 - Atomics.load(shared, slots.cpuMsBefore) > cpuMsMax) process.kill(process.pid, timeSignal)
  if (memoryUsage.rss() / 2 ** 20 > Atomics.load(shared, slots.memoryMiBMax)) process.kill(process.pid, memorySignal)
  // The server has died, and a task that never rests would not notice.
  if (process.ppid !== server) process.kill(process.pid, 'SIGKILL')
}
