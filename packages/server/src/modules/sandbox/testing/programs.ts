import { CodeRunner, type CodeHost } from '../code-runner.ts'
import type { Limits, Program } from '../protocol.ts'
import { Pool, type PoolOptions } from '../../../pool/index.ts'

/** Limits of time that a test soon reaches. */
const shortLimits: Partial<Limits> = { computeMs: 300, processMs: 1000 }

const never = new AbortController().signal

const programOf = (code: string): Program => ({
  code,
  input: 'null',
  trigger: 'null',
  results: {},
  now: 0,
  seed: 1,
})

/** A host of which a program wants nothing. */
export const quiet: CodeHost = {
  call: async ({ id }) => ({ id, isOk: true, text: 'null' }),
  line: () => undefined,
}

/** Runs programs for tests, by runners that end together. */
export function programs() {
  const pools: Pool[] = []
  const runnerWith = (given: Partial<Limits> = shortLimits, options: PoolOptions = {}) => {
    const pool = new Pool(options)
    pools.push(pool)
    return new CodeRunner(pool, given)
  }
  const runner = runnerWith()
  const runCode = (code: string, host = quiet, by = runner, signal = never) =>
    by.run('one', programOf(code), host, { signal })
  /** Runs an expression, and returns its value. */
  async function valueOf(expression: string, by = runner): Promise<unknown> {
    const ended = await runCode(`export const handler = async () => (${expression})`, quiet, by)
    return 'output' in ended ? JSON.parse(ended.output) : ended
  }
  const close = (): void => {
    for (const pool of pools) pool.close()
  }
  return { runner, runnerWith, runCode, valueOf, close }
}
