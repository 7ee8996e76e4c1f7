import { afterAll, describe, expect, test } from 'vitest'
import { programs, quiet } from './testing/programs.ts'

const { runner, runnerWith, runCode, valueOf, close } = programs()
/** For programs that end before any limit of time. */
const patient = runnerWith({})
afterAll(close)

describe('a program that takes too much ends, and the next one runs', () => {
  const exhausting: readonly (readonly [title: string, code: string, ended: string])[] = [
    ['a loop in the module', `for (;;); export const handler = 1`, 'code_time_exceeded'],
    [
      'a loop that catches',
      `export const handler = () => { for (;;) try { for (;;); } catch {} }`,
      'code_time_exceeded',
    ],
    [
      'a loop in finally',
      `export const handler = () => { try { for (;;); } finally { for (;;); } }`,
      'code_time_exceeded',
    ],
    ['one huge string', `export const handler = () => 'x'.repeat(2 ** 29).length`, 'code_out_of_memory'],
    ['a string that doubles', `export const handler = () => { let s = 'x'; for (;;) s += s }`, 'code_'],
    ['a huge buffer', `export const handler = () => new ArrayBuffer(2 ** 30).byteLength`, 'code_'],
    [
      'memory piece by piece',
      `export const handler = () => { const a = []; for (;;) a.push(new Array(1000).fill(0)) }`,
      'code_',
    ],
    ['recursion through the language', `const f = () => [1].map(f); export const handler = f`, 'code_failed'],
    ['deep brackets', `export const handler = () => eval('('.repeat(1e6))`, 'code_failed'],
    ['a deep regular expression', `export const handler = () => new RegExp('(?:'.repeat(1e5))`, 'code_failed'],
    [
      'a proxy around itself',
      `export const handler = () => { const p = new Proxy({}, { get: (t, k) => p[k] }); return p.x }`,
      'code_failed',
    ],
    ['toJSON for ever', `export const handler = () => ({ toJSON() { for (;;); } })`, 'code_time_exceeded'],
    [
      'an error whose message loops',
      `export const handler = () => { throw Object.defineProperty(new Error(), 'message', { get() { for (;;); } }) }`,
      'code_time_exceeded',
    ],
    [
      'an error whose message is huge',
      `export const handler = () => { throw new Error('x'.repeat(1e7)) }`,
      'code_failed',
    ],
    [
      'a thrown value that throws',
      `export const handler = () => { throw { toString() { throw 1 }, toJSON() { throw 2 } } }`,
      'code_failed',
    ],
    ['a module that waits for ever', `await new Promise(() => {}); export const handler = 1`, 'code_failed'],
    ['a thenable that never calls back', `export const handler = () => ({ then() {} })`, 'code_failed'],
    ['characters of many bytes', `export const handler = () => '\u20AC'.repeat(400000)`, 'output_too_large'],
    [
      'calls without an end',
      `export const handler = async (i, { client }) => { for (;;) await client.records.get('deal', '1') }`,
      'code_failed',
    ],
    [
      'calls at once',
      `export const handler = (i, { client }) => { for (;;) client.records.get('deal', '1').catch(() => 0) }`,
      'code_',
    ],
    ['no handler', `export const main = () => 1`, 'code_failed'],
    ['a handler that is no function', `export const handler = 5`, 'code_failed'],
    ['more than types', `enum A { B } export const handler = () => A.B`, 'code_failed'],
    ['no text at all', `\0\uFFFF`, 'code_failed'],
  ]

  /** Programs that the machine does not interrupt: their process is ended. */
  const uninterrupted: [string, string, string][] = [
    ['a generator', `function* g() { for (;;) yield 1 } export const handler = () => [...g()].length`, 'code_'],
    ['a regular expression', `export const handler = () => /^(a+)+$/.test('a'.repeat(40) + 'b')`, 'code_time_exceeded'],
    ['a slow function of the language', `export const handler = () => new Array(4294967295).join('x')`, 'code_'],
    [
      'sorting for ever',
      `export const handler = () => { const a = Array.from({ length: 1e5 }, (_, i) => -i); for (;;) a.sort() }`,
      'code_',
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
})
