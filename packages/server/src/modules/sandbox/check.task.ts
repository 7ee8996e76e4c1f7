import { newQuickJSWASMModuleFromVariant } from 'quickjs-emscripten-core'
import { isString, memberOf } from '../../lib/guards.ts'
import { plainJavaScript } from './plain-javascript.ts'

type QuickJs = Awaited<ReturnType<typeof newQuickJSWASMModuleFromVariant>>

/** Throws before the program would run: modules are linked first, and then run in the order of their imports. */
const stop = 'stop here'
const main = `import './stop.js'\nimport { handler } from './code.js'`

const memoryBytes = 64 << 20
const stackBytes = 256 << 10

/** Returns the fault of a program before it runs: its syntax, an import, or a missing handler. */
function faultOfCode(quickJs: QuickJs, given: string): string | undefined {
  const { code, fault } = plainJavaScript(given)
  if (fault !== undefined) return fault
  const modules = new Map([
    ['stop.js', `throw new Error('${stop}')`],
    ['code.js', code],
  ])
  const runtime = quickJs.newRuntime({ memoryLimitBytes: memoryBytes, maxStackSizeBytes: stackBytes })
  runtime.setModuleLoader((name) => modules.get(name) ?? { error: new Error(`There is no module "${name}"`) })
  const context = runtime.newContext()
  const loaded = context.evalCode(main, 'main.js', { type: 'module' })
  if (loaded.error) return textOf(context.dump(loaded.error))
  const state = context.getPromiseState(loaded.value)
  return state.type === 'rejected' ? textOf(context.dump(state.error)) : undefined
}

/** The text of an error, with its place in the code; undefined of the one that stops. */
function textOf(error: unknown): string | undefined {
  const [name, message, stack] = ['name', 'message', 'stack'].map((member) => memberOf(error, member))
  if (message === stop) return undefined
  if (isString(message) && message.includes("'handler'")) return 'The code exports no function `handler`.'
  const [, line, column] = /code\.js:(\d+)(?::(\d+))?/.exec(String(stack)) ?? []
  const at = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
  return `${String(name)}: ${String(message)}${at}`
}

/** Reads a program of a user, in a process of the pool, and runs none of it. */
export async function run({ code }: { readonly code: string }): Promise<{ readonly fault: string | null }> {
  const quickJs = await newQuickJSWASMModuleFromVariant(import('@jitl/quickjs-wasmfile-release-sync'))
  return { fault: faultOfCode(quickJs, code) ?? null }
}
