import { readFileSync } from 'node:fs'
import type {
  newQuickJSWASMModuleFromVariant,
  QuickJSContext,
  QuickJSHandle,
  QuickJSRuntime,
} from 'quickjs-emscripten-core'
import { z } from 'zod'
import { memberOf } from '../../lib/guards.ts'
import { Parked, type Talk } from '../../pool/talk.ts'
import type { ProgramEnded, HostAnswer, HostCall, Limits, Program } from './protocol.ts'
import { plainJavaScript } from './plain-javascript.ts'

type QuickJs = Awaited<ReturnType<typeof newQuickJSWASMModuleFromVariant>>

const thrownSchema = z.object({
  name: z.string(),
  message: z.string(),
  stack: z.string(),
  callId: z.int().optional(),
})
const outcomeSchema = z.union([
  z.object({ output: z.string() }),
  z.object({ isTooLarge: z.literal(true) }),
  z.object({ thrown: thrownSchema }),
])

/** The name under which errors point into the code of a user. */
const fileName = 'code.js'

const guestText = readFileSync(new URL('guest.js', import.meta.url), 'utf8')

/** Code that has the name `_` somewhere gets lodash; reading it takes longer than most programs run. */
const usesLodash = /(?<![\w$])_(?![\w$])/

/**
 * Runs one program in one instance of QuickJS, which is thrown away with it. What reaches the program is what
 * `guest.js` gives it.
 */
export class Machine {
  readonly #limits: Limits
  readonly #talk: Talk<HostCall, HostAnswer>
  readonly #runtime: QuickJSRuntime
  readonly #context: QuickJSContext
  /** Calls that the server has not been told of yet. */
  readonly #calls: HostCall[] = []
  /** Calls whose answers the program has not been given. */
  #open = 0
  #computedMs = 0
  #enteredAtMs = 0
  #hasExceeded = false

  constructor(quickJs: QuickJs, limits: Limits, talk: Talk<HostCall, HostAnswer>) {
    this.#limits = limits
    this.#talk = talk
    this.#runtime = quickJs.newRuntime({
      memoryLimitBytes: limits.memoryBytes,
      maxStackSizeBytes: limits.stackBytes,
      interruptHandler: () => this.#isOver(),
    })
    this.#context = this.#runtime.newContext()
  }

  async run(program: Program, readLodash: () => string): Promise<ProgramEnded> {
    const { code, fault } = plainJavaScript(program.code)
    if (fault !== undefined) return { code: 'code_failed', message: fault }
    try {
      const guest = this.#enter(() => this.#setUp(program, usesLodash.test(code) ? readLodash() : undefined))
      const ended = await this.#runModule(guest, code)
      return this.#hasExceeded ? this.#exceeded : ended
    } catch (error) {
      if (error instanceof Parked) throw error
      if (this.#hasExceeded) return this.#exceeded
      // Too deep for the stack of this process, or for the memory of the machine; the machine is not used after this.
      return { code: 'code_failed', message: `The program cannot go on: ${String(memberOf(error, 'message'))}` }
    }
  }

  get #exceeded(): ProgramEnded {
    const message = `The code computed for more than ${this.#limits.computeMs / 1000} s.`
    return { code: 'code_time_exceeded', message }
  }

  #setUp({ input, trigger, results, seed }: Program, lodash: string | undefined): QuickJSHandle {
    const context = this.#context
    if (lodash !== undefined) context.unwrapResult(context.evalCode(lodash, 'lodash.js')).dispose()
    const { outputBytes, callsMax, logLinesMax, logLineMax } = this.#limits
    const limits = JSON.stringify({ seed, outputBytes, callsMax, logLinesMax, logLineMax })
    const keys = JSON.stringify(Object.keys(results))
    const given = `{"input":${input},"trigger":${trigger},"keys":${keys},${limits.slice(1)}`
    const parse = context.unwrapResult(context.evalCode('JSON.parse'))
    const guest = context.unwrapResult(context.evalCode(guestText, 'guest.js', { type: 'module' }))
    return context.unwrapResult(
      context.callFunction(
        context.getProp(guest, 'setUp'),
        context.undefined,
        this.#lend(results),
        context.unwrapResult(context.callFunction(parse, context.undefined, context.newString(given))),
      ),
    )
  }

  #lend(results: Program['results']): QuickJSHandle {
    const context = this.#context
    const host = context.newObject()
    const lend = (name: string, work: (...given: QuickJSHandle[]) => QuickJSHandle | undefined) =>
      context.setProp(host, name, context.newFunction(name, work))
    lend('call', (id, name, args) => {
      if (id === undefined || name === undefined || args === undefined) return undefined
      const call = { id: context.getNumber(id), name: context.getString(name), args: context.getString(args) }
      if (call.args.length > this.#limits.callCharacters) throw new RangeError('The arguments of a call are too large.')
      this.#calls.push(call)
      this.#tellCalls()
      return undefined
    })
    lend('line', (line) => {
      if (line !== undefined) this.#talk.line(context.getString(line))
      return undefined
    })
    lend('result', (key) => context.newString((key && results[context.getString(key)]) ?? 'null'))
    return host
  }

  #tellCalls(): void {
    for (const call of this.#calls.splice(0, Math.max(0, this.#limits.callsAtOnce - this.#open))) {
      this.#open++
      this.#talk.call(call)
    }
  }

  async #runModule(guest: QuickJSHandle, code: string): Promise<ProgramEnded> {
    const context = this.#context
    const loaded = this.#enter(() => context.evalCode(code, fileName, { type: 'module' }))
    if (loaded.error) return this.#failed(guest, loaded.error)
    const module = await this.#settled(guest, loaded.value)
    if (!('value' in module)) return module
    const handler = context.getProp(module.value, 'handler')
    if (context.typeof(handler) !== 'function')
      return { code: 'code_failed', message: 'The code exports no function `handler`.' }
    this.#callGuest(guest, 'start', handler)
    for (;;) {
      const stopped = this.#pump(guest)
      if (stopped !== undefined) return stopped
      const text = context.getString(this.#callGuest(guest, 'outcome'))
      if (text !== '') return this.#endedAs(text)
      if (!(await this.#nextAnswer(guest))) return stuck
    }
  }

  /** Waits for a module that awaits something itself. */
  async #settled(
    guest: QuickJSHandle,
    module: QuickJSHandle,
  ): Promise<ProgramEnded | { readonly value: QuickJSHandle }> {
    for (;;) {
      const stopped = this.#pump(guest)
      if (stopped !== undefined) return stopped
      const state = this.#context.getPromiseState(module)
      if (state.type === 'fulfilled') return { value: state.value }
      if (state.type === 'rejected') return this.#failed(guest, state.error)
      if (!(await this.#nextAnswer(guest))) return stuck
    }
  }

  /** Runs what the program has to do until it waits; tells how it ended if it cannot go on. */
  #pump(guest: QuickJSHandle): ProgramEnded | undefined {
    const done = this.#enter(() => this.#runtime.executePendingJobs())
    // An error of a job rejects its promise; one that arrives here has stopped the whole program.
    return done.error && this.#failed(guest, done.error)
  }

  /** Gives the program the next answer; false if none will come. */
  async #nextAnswer(guest: QuickJSHandle): Promise<boolean> {
    if (this.#open === 0) return false
    const { id, isOk, text } = await this.#talk.next()
    this.#open--
    this.#tellCalls()
    const context = this.#context
    this.#callGuest(
      guest,
      'settle',
      context.newNumber(id),
      isOk ? context.true : context.false,
      context.newString(text),
    )
    return true
  }

  #callGuest(guest: QuickJSHandle, name: string, ...args: QuickJSHandle[]): QuickJSHandle {
    const context = this.#context
    const work = context.getProp(guest, name)
    return this.#enter(() => context.unwrapResult(context.callFunction(work, context.undefined, ...args)))
  }

  #endedAs(text: string): ProgramEnded {
    const outcome = outcomeSchema.parse(JSON.parse(text))
    if ('thrown' in outcome) return failureOf(outcome.thrown)
    const { outputBytes } = this.#limits
    if ('output' in outcome && Buffer.byteLength(outcome.output) <= outputBytes) return outcome
    return { code: 'output_too_large', message: `The output is larger than ${outputBytes} bytes of JSON.` }
  }

  #failed(guest: QuickJSHandle, thrown: QuickJSHandle): ProgramEnded {
    const text = this.#context.getString(this.#callGuest(guest, 'describe', thrown))
    return failureOf(thrownSchema.parse(JSON.parse(text)))
  }

  /** Counts the time in which the program computes. */
  #enter<T>(work: () => T): T {
    this.#enteredAtMs = processorMs()
    try {
      return work()
    } finally {
      this.#computedMs += processorMs() - this.#enteredAtMs
    }
  }

  #isOver(): boolean {
    this.#hasExceeded ||= this.#computedMs + processorMs() - this.#enteredAtMs > this.#limits.computeMs
    return this.#hasExceeded
  }
}

/** Time of a processor that this thread has had; on a busy machine less than has passed. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

const stuck: ProgramEnded = { code: 'code_failed', message: 'The code waits for something that never happens.' }

/** Where in the code an error was thrown. */
const positionShape = new RegExp(`${fileName.replace('.', '\\.')}:(\\d+)(?::(\\d+))?`)

function failureOf({ name, message, stack, callId }: z.infer<typeof thrownSchema>): ProgramEnded {
  const [, line, column] = positionShape.exec(stack) ?? []
  const at = line === undefined ? '' : ` (line ${line}${column === undefined ? '' : `, column ${column}`})`
  const isMemory = name === 'InternalError' && message === 'out of memory'
  return {
    code: isMemory ? 'code_out_of_memory' : 'code_failed',
    message: `${name === '' ? '' : `${name}: `}${message}${at}`,
    ...(callId !== undefined && { callId }),
  }
}
