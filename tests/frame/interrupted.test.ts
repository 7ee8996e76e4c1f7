import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))

test('checks that were interrupted have not passed', async () => {
  const child = spawn(process.execPath, ['tools/run-checks.mjs', 'format:check'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let told = ''
  child.stderr.on('data', (chunk: Buffer) => (told += chunk.toString()))
  child.stdout.once('data', () => child.kill('SIGINT'))
  const [code] = (await once(child, 'close')) as [number | null]
  expect([code, told]).toEqual([130, expect.stringContaining('Interrupted (SIGINT): not every check has run.')])
})
