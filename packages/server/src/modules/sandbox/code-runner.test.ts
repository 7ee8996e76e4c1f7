import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import type { CodeHost } from './code-runner.ts'
import { programs, quiet } from './testing/programs.ts'

const { runner, runnerWith, runCode, valueOf, close } = programs()
/** For programs that end before any limit of time, at sizes that are soon reached. */
const patient = runnerWith({ memoryBytes: 16 << 20, outputBytes: 10_000 })
afterEach(() => void vi.useRealTimers())
afterAll(close)
/** Lets limits of time end when the test says so, but those within the processes, of what they compute. */
const holdTime = () => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })

const never = new AbortController().signal

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

  /** Programs that the machine does not interrupt: their process is ended. */
  const uninterrupted: [string, string, string][] = [
    [
      'jobs that make jobs',
      `const f = () => Promise.resolve().then(f); export const handler = f`,
      'code_time_exceeded',
    ],
  ]

  test.each(uninterrupted)('%s', async (_title, code, expected) => {
    const ended = await runCode(code)
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
    const waiting: CodeHost = {
      ...quiet,
      call() {
        vi.advanceTimersByTime(runner.limits.wallMs)
        return new Promise(() => undefined)
      },
    }
    expect(await runCode(code, waiting)).toMatchObject({ code: 'code_time_exceeded' })
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
    expect(await runCode(code)).toEqual({ output: '"The arguments of a call are too large."' })
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

  test('an accident of a call ends the program', async () => {
    const code = `export const handler = async (i, { client }) => {
      try { await client.records.get('a', 'b') } catch {}
    }`
    const host: CodeHost = { ...quiet, call: () => Promise.reject(new Error('an accident')) }
    await expect(runCode(code, host)).rejects.toThrow('an accident')
  })
})

describe('a program that waits for answers', () => {
  /** One process, which is given away at once. */
  const alone = runnerWith({}, { processesMax: 1, parkAfterMs: 0 })
  const code = `let times = 0
    export const handler = async (input, { client }) => {
      console.log('begins', Math.random(), Date.now())
      const one = await client.records.get('deal', 'slow')
      console.log('goes on', Math.random())
      const [two, three] = await Promise.all([client.records.get('deal', 'slow'), client.records.get('deal', 'fast')])
      return [one, two, three, ++times, Math.random()]
    }`

  test('holds no process, and goes on where it was', async () => {
    const lines: string[] = []
    const calls: string[] = []
    const host: CodeHost = {
      line: (line) => lines.push(line),
      async call({ id, args }) {
        calls.push(args)
        // Another program needs the only process.
        if (args.includes('slow')) expect(await valueOf('1 + 1', alone)).toBe(2)
        return { id, isOk: true, text: JSON.stringify(calls.length) }
      },
    }
    const ended = await runCode(code, host, alone)
    expect(calls).toEqual(['["deal","slow"]', '["deal","slow"]', '["deal","fast"]'])
    expect(lines).toHaveLength(2)
    const undisturbed = await runCode(code, { ...host, call: async ({ id }) => ({ id, isOk: true, text: '0' }) })
    expect(lines.slice(2)).toEqual(lines.slice(0, 2))
    const [given, expected] = [ended, undisturbed].map((one) => 'output' in one && JSON.parse(one.output))
    expect(given).toEqual([1, 3, 3, 1, expected[4]])
  })

  test('ends with its signal, and with an accident of a call', async () => {
    const controller = new AbortController()
    const ends: readonly (readonly [end: () => void, message: string])[] = [
      [() => controller.abort(new Error('enough')), 'enough'],
      [() => accident.reject(new Error('an accident')), 'an accident'],
    ]
    const accident = Promise.withResolvers<never>()
    for (const [end, message] of ends) {
      const called = Promise.withResolvers<void>()
      const host: CodeHost = {
        ...quiet,
        call() {
          called.resolve()
          return accident.promise
        },
      }
      const waiting = runCode(code, host, alone, message === 'enough' ? controller.signal : never)
      const ended = expect(waiting).rejects.toThrow(message)
      await called.promise
      expect(await valueOf('1 + 1', alone)).toBe(2)
      end()
      await ended
    }
  })
})
