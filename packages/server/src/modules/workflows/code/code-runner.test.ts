import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { CodeHost } from './code-process.ts'
import { CodeRunner, type CodeRunnerOptions } from './code-runner.ts'
import type { Program } from './protocol.ts'

const limits = { computeMs: 300, busyMs: 8000, wallMs: 30_000 }
const runners: CodeRunner[] = []
const runnerWith = (options: CodeRunnerOptions = {}) => {
  const runner = new CodeRunner({ limits, ...options })
  runners.push(runner)
  return runner
}
const runner = runnerWith()
/** For programs that end before any limit of time, at sizes that are soon reached. */
const patient = runnerWith({ limits: { memoryBytes: 16 << 20, outputBytes: 10_000 } })
afterEach(() => void vi.useRealTimers())
afterAll(() => {
  for (const each of runners) each.close()
})
/** Lets limits of time end when the test says so, but those within the processes, of what they compute. */
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const never = new AbortController().signal
const programOf = (code: string): Program => ({ code, input: 'null', trigger: 'null', results: {}, now: 0, seed: 1 })
const quiet: CodeHost = {
  call: async ({ id }) => ({ id, isOk: true, text: 'null' }),
  line: () => undefined,
}
const runCode = (code: string, host = quiet, by = runner, signal = never) => by.run(programOf(code), host, signal)
/** Runs an expression, and returns its value. */
async function valueOf(expression: string, by = runner): Promise<unknown> {
  const ended = await runCode(`export const handler = async () => (${expression})`, quiet, by)
  return 'output' in ended ? JSON.parse(ended.output) : ended
}

describe('a program reaches nothing outside', () => {
  test.each([
    'typeof process',
    'typeof require',
    'typeof module',
    'typeof Buffer',
    'typeof WebAssembly',
    'typeof setTimeout',
    'typeof performance',
    'typeof XMLHttpRequest',
    'typeof os',
    'typeof std',
    'typeof host',
    'typeof setUp',
    'typeof globalThis.process',
    'typeof Function("return this")().process',
    'typeof [].constructor.constructor("return this")().process',
    'typeof (await (async () => {}).constructor("return globalThis")()).process',
    'typeof fetch.constructor("return this")().process',
    'typeof console.log.constructor("return this")().process',
    'typeof Object.getPrototypeOf(async function* () {}).constructor("return this")().process',
    'typeof (0, eval)("globalThis").require',
    'typeof Error.prepareStackTrace',
    'typeof new Error().stack.constructor.constructor("return this")().process',
    'typeof Reflect.construct(Function, ["return this"])().process',
  ])('%s', async (expression) => {
    expect(await valueOf(expression)).toBe('undefined')
  })

  test.each([
    `import fs from 'fs'; export const handler = () => fs`,
    `import fs from 'node:fs'; export const handler = () => fs`,
    `import '/etc/passwd'; export const handler = () => 1`,
    `import 'https://example.com/a.js'; export const handler = () => 1`,
    `export * from './code.js'; export const handler = () => import('./process.ts')`,
    `export const handler = () => import('node:child_process')`,
    `export const handler = () => import('data:text/javascript,1')`,
    `export const handler = () => eval("import('fs')")`,
  ])('%s', async (code) => {
    expect(await runCode(code)).toMatchObject({
      code: 'code_failed',
      message: expect.stringContaining('could not load'),
    })
  })

  test('what a program does to the objects of the language, no other sees', async () => {
    const pollute = `Object.prototype.polluted = 1; Array.prototype.map = () => 'mine'; JSON.stringify = () => '"mine"'
      JSON.parse = () => 'mine'; globalThis.kept = 1; Promise.prototype.then = undefined
      Object.defineProperty(Object.prototype, 'toJSON', { value: () => 'mine' })
      export const handler = async () => ({})`
    await runCode(pollute)
    expect(await valueOf('[typeof kept, ({}).polluted ?? null, [1].map((n) => n + 1), JSON.stringify(1)]')).toEqual([
      'undefined',
      null,
      [2],
      '1',
    ])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test('what a program makes of the values that it was given, stays inside', async () => {
    const given: string[] = []
    const host: CodeHost = {
      ...quiet,
      async call({ id, args }) {
        given.push(args)
        return { id, isOk: true, text: '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}' }
      },
    }
    const code = `export const handler = async (input, { client }) => {
      const answer = await client.records.get(JSON.parse('{"__proto__":{"polluted":2}}'), { toJSON: () => 'x' })
      return [Object.keys(answer), ({}).polluted ?? null]
    }`
    expect(await runCode(code, host)).toEqual({ output: '[["__proto__","constructor"],null]' })
    expect(given).toEqual(['[{"__proto__":{"polluted":2}},"x"]'])
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('a program that takes too much ends, and the next one runs', () => {
  const exhausting: readonly (readonly [title: string, code: string, ended: string])[] = [
    ['a loop without an end', `export const handler = () => { for (;;); }`, 'code_time_exceeded'],
    ['one huge array', `export const handler = () => new Array(5e6).fill(1).length`, 'code_out_of_memory'],
    ['deep recursion', `const f = () => f() + 1; export const handler = f`, 'code_failed'],
    ['a promise that never settles', `export const handler = () => new Promise(() => {})`, 'code_failed'],
    ['an output that is too large', `export const handler = () => 'x'.repeat(9999)`, 'output_too_large'],
    ['no JavaScript', `export const handler = (`, 'code_failed'],
  ]

  /** What the machine does not interrupt by itself: its process is ended. */
  const uninterrupted: [string, string, string][] = [
    [
      'jobs that make jobs',
      `const f = () => Promise.resolve().then(f); export const handler = f`,
      'code_time_exceeded',
    ],
  ]

  test.each(uninterrupted)('%s', async (_title, code, expected) => {
    holdTime()
    const host: CodeHost = { ...quiet, line: () => void vi.advanceTimersByTime(limits.busyMs) }
    const ended = await runCode(`console.log('It begins.'); ${code}`, host)
    expect('code' in ended ? ended.code : ended).toContain(expected)
    expect(await valueOf('1 + 1')).toBe(2)
  })

  test.concurrent.each(exhausting)('%s', async (_title, code, expected) => {
    const by = ['code_time_exceeded', 'code_'].includes(expected) ? runner : patient
    const ended = await runCode(code, quiet, by)
    expect('code' in ended ? ended.code : ended).toContain(expected)
    expect(JSON.stringify(ended).length).toBeLessThan(10_000)
    expect(await valueOf('1 + 1', by)).toBe(2)
  })

  test('a console that is flooded keeps the first lines', async () => {
    const lines: string[] = []
    const code = `export const handler = () => { for (let i = 0; i < 1e4; i++) console.log(i, 'x'.repeat(2500)) }`
    await runCode(code, { ...quiet, line: (line) => lines.push(line) })
    expect(lines.length).toBe(201)
    expect(lines[0]?.length).toBe(2000)
    expect(lines[200]).toBe('…')
  })

  test('one that waits for too long', async () => {
    const code = `export const handler = (i, { client }) => client.records.get('deal', '1')`
    holdTime()
    const single = runnerWith()
    const waiting: CodeHost = {
      ...quiet,
      call() {
        vi.advanceTimersByTime(limits.wallMs)
        return new Promise(() => undefined)
      },
    }
    expect(await runCode(code, waiting, single)).toMatchObject({ code: 'code_time_exceeded' })
    expect(single.processes).toBe(0)
  })
})

describe('processes', () => {
  test('time spent waiting for answers is no computing', async () => {
    const slow: CodeHost = {
      ...quiet,
      call: async ({ id }) => {
        // Until another program has computed for too long, which takes at least as long as that.
        const other = await runCode('for (;;); export const handler = 1')
        expect(other).toMatchObject({ code: 'code_time_exceeded' })
        return { id, isOk: true, text: '5' }
      },
    }
    const code = `export const handler = (i, { client }) => client.records.get('deal', '1')`
    expect(await runCode(code, slow)).toEqual({ output: '5' })
  })

  test('calls that are made at once take turns', async () => {
    let open = 0
    let most = 0
    const { promise: allMade, resolve: tellAllMade } = Promise.withResolvers<void>()
    const counting: CodeHost = {
      async call({ id, args }) {
        most = Math.max(most, ++open)
        await allMade
        open--
        return { id, isOk: true, text: args }
      },
      line: () => tellAllMade(),
    }
    const code = `export const handler = async (i, { client }) => {
      const calls = Array.from({ length: 100 }, (_, n) => client.records.get('deal', String(n)))
      console.log('All are made.')
      const answers = await Promise.all(calls)
      return answers.every(([, id], n) => id === String(n))
    }`
    expect(await runCode(code, counting)).toEqual({ output: 'true' })
    expect(most).toBe(10)
  })

  test('a call that is given too much fails inside of the program', async () => {
    const code = `export const handler = async (i, { client }) => {
      try { await client.records.get('deal', 'x'.repeat(2 ** 21)) } catch (error) { return error.message }
    }`
    expect(await runCode(code)).toEqual({ output: '"A call is given too much."' })
  })

  test('a program ends with its signal, while it waits and while it computes', async () => {
    for (const code of [
      `export const handler = () => { console.log('It begins.'); for (;;); }`,
      `export const handler = (i, { client }) => client.records.get('a', 'b')`,
    ]) {
      const controller = new AbortController()
      const stop = () => controller.abort(new Error('the server stops'))
      const host: CodeHost = {
        line: stop,
        call() {
          stop()
          return new Promise(() => undefined)
        },
      }
      await expect(runCode(code, host, patient, controller.signal)).rejects.toThrow('the server stops')
    }
    await expect(runCode('', quiet, runner, AbortSignal.abort(new Error('before')))).rejects.toThrow('before')
    expect(await valueOf('1')).toBe(1)
  })

  test('programs take turns', async () => {
    const single = runnerWith({ atOnceMax: 1 })
    const ended = await Promise.all([1, 2, 3].map((n) => runCode(`export const handler = () => ${n}`, quiet, single)))
    expect(ended).toEqual([{ output: '1' }, { output: '2' }, { output: '3' }])
    expect(single.processes).toBe(1)
  })

  test('a program that has waited for too long for its turn is told so', async () => {
    const single = runnerWith({ atOnceMax: 1, waitMs: 200 })
    const controller = new AbortController()
    const host: CodeHost = { ...quiet, call: () => new Promise(() => undefined) }
    const code = `export const handler = (i, { client }) => client.records.get('a', 'b')`
    const waiting = runCode(code, host, single, controller.signal)
    await expect(runCode(code, host, single)).rejects.toThrow('No process was free')
    controller.abort(new Error('enough'))
    await expect(waiting).rejects.toThrow('enough')
  })

  test('one without work ends', async () => {
    holdTime()
    const short = runnerWith({ idleMs: 100 })
    await runCode('export const handler = () => 1', quiet, short)
    vi.advanceTimersByTime(99)
    expect(short.processes).toBe(1)
    vi.advanceTimersByTime(1)
    expect(short.processes).toBe(0)
  })

  test('an accident of a call ends the program', async () => {
    const code = `export const handler = async (i, { client }) => {
      try { await client.records.get('a', 'b') } catch {}
    }`
    const host: CodeHost = { ...quiet, call: () => Promise.reject(new Error('an accident')) }
    await expect(runCode(code, host)).rejects.toThrow('an accident')
  })
})
