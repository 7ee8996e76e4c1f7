import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import type { Talk } from '../../pool/talk.ts'
import { Machine } from './machine.ts'
import type { ProgramEnded, HostAnswer, HostCall, Limits, Program } from './protocol.ts'

const readLodash = (): string => readFileSync(fileURLToPath(import.meta.resolve('lodash/lodash.min.js')), 'utf8')

/** Runs a program of a user, in a process of the pool. */
export async function run(
  { program, limits }: { readonly program: Program; readonly limits: Limits },
  talk: Talk<HostCall, HostAnswer>,
): Promise<ProgramEnded> {
  const { now } = Date
  // The one clock that the sandbox could see.
  Date.now = () => program.now
  try {
    // An instance of its own for each program: what one does to its memory, none after it can see.
    const quickJs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
    return await new Machine(quickJs, limits, talk).run(program, readLodash)
  } finally {
    Date.now = now
  }
}
