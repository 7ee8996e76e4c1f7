import { execFile } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, inject, test } from 'vitest'

const home = fileURLToPath(new URL('../clients', import.meta.url))

/** Runs a script of the clients' package; rejects with what it has said where it fails. */
const run = (script: string) =>
  promisify(execFile)('npm', ['run', '--silent', script], {
    cwd: home,
    env: {
      ...process.env,
      PATH: [
        join(home, 'node_modules/.bin'),
        fileURLToPath(new URL('../../node_modules/.bin', import.meta.url)),
        process.env['PATH'],
      ].join(delimiter),
    },
  })

// One after another: each needs what the one before it has made.
describe.runIf(inject('database') === 'sqlite')('five generators of third parties', () => {
  test('make clients of the committed document', async () => {
    // They write there side by side, and not all of them make the folder.
    await mkdir(join(home, 'generated'), { recursive: true })
    await run('generate')
  }, 300_000)

  test('which compile, and refuse what the contract refuses', async () => {
    await run('compile')
  }, 300_000)

  test('and send what was meant; readers of documents find every operation', async () => {
    expect((await run('calls')).stdout).toMatch(/^. fail 0$/m)
  }, 300_000)
})
