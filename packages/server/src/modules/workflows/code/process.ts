import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import { Machine } from './machine.ts'
import type { FromProcess, Limits, Program, ToProcess } from './protocol.ts'

// A process of its own, without rights: no file to write, no other process, no setting of the server.

const readLodash = (): string => readFileSync(fileURLToPath(import.meta.resolve('lodash/lodash.min.js')), 'utf8')

/** A server that has gone away needs no further messages. */
const tell = (message: FromProcess): void =>
  void process.send?.(message, (error: Error | null) => error !== null && process.exit())

let machine: Machine | undefined

async function run(program: Program, limits: Limits): Promise<void> {
  // The one clock that the sandbox could see.
  Date.now = () => program.now
  // An instance of its own for each program: what one does to its memory, none after it can see.
  const quickJs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
  machine = new Machine(quickJs, limits, { call: (call) => tell({ call }), line: (line) => tell({ line }) })
  const ended = await machine.run(program, readLodash)
  machine = undefined
  tell({ ended })
}

process.on('message', (message: ToProcess) => {
  if ('answer' in message) machine?.answer(message.answer)
  else void run(message.run, message.limits)
})
// The server decides when its processes end: a signal to the whole group must not kill them while it drains.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined)
process.on('disconnect', () => process.exit())
tell({ ready: true })
