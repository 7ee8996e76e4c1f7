import { writeFileSync } from 'node:fs'
import { spawnSync } from 'node:child_process'

const works: Readonly<Record<string, (given: unknown) => unknown>> = {
  echo: (given) => given,
  loop: () => {
    for (;;);
  },
  pattern: () => /^(a+)+$/.test(`${'a'.repeat(64)}b`),
  heap: () => {
    const kept: unknown[] = []
    for (;;) kept.push(Array.from({ length: 1000 }, () => ({})))
  },
  buffers: () => {
    const kept: Buffer[] = []
    for (;;) kept.push(Buffer.alloc(2 ** 24, 1))
  },
  wait: () => new Promise(() => undefined),
  large: () => Buffer.alloc(2 ** 20),
  exit: () => process.exit(3),
  throw: () => {
    throw new Error('a bug')
  },
  deep: () => {
    const deeper = (): number => 1 + deeper()
    return deeper()
  },
  wasm: () => {
    throw Object.assign(new Error('memory access out of bounds'), { name: 'RuntimeError' })
  },
  pid: () => process.pid,
  write: () => writeFileSync('/tmp/kontor-pool-must-not-write', ''),
  spawn: () => spawnSync('true'),
  code: () => Reflect.construct(Function, ['return 1']),
}

/** Does what a test asks for. */
export const run = ([work, given]: readonly [string, unknown]): unknown => works[work]?.(given)
