import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { walks } from '../../examples/walks.ts'
import { startNodes } from '../harness/citus-nodes.ts'
import { hasCitus } from '../harness/citus.ts'

const pathOf = (walk: string): string => fileURLToPath(new URL(`../../examples/${walk}`, import.meta.url))

/** Ends what hangs. */
const limits = { timeout: 600_000 }

describe.runIf(hasCitus())('on three nodes of Citus', () => {
  test.for(walks)('examples/%s does what it does on plain Postgres', limits, async (walk) => {
    const { url } = await startNodes()
    const { PATH, HOME, TMPDIR } = process.env
    const env = { PATH, HOME, TMPDIR, DATABASE_URL: url }
    const child = spawn(process.execPath, [pathOf(walk)], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    onTestFinished(() => void child.kill())
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => (output += text))
    const [code] = await once(child, 'close')
    expect(code, output).toBe(0)
  })
})
