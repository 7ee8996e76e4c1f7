import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import { faultOfCode } from './code-fault.ts'

/** Reads a program of a user, in a process of the pool, and runs none of it. */
export async function run({ code }: { readonly code: string }): Promise<{ readonly fault: string | null }> {
  const quickJs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
  return { fault: faultOfCode(quickJs, code) ?? null }
}
