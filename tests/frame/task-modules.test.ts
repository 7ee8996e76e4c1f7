import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** A process of the pool starts with the first task after a quiet minute; the contract would take most of its start. */
test('no task of the pool loads the whole contract', async () => {
  const program = fileURLToPath(new URL('programs/load-tasks.ts', import.meta.url))
  const { stdout } = await promisify(execFile)(process.execPath, [program])
  const packages = stdout.split('\n')
  expect(packages).toContain('@kontor/contract/values')
  expect(packages).not.toContain('@kontor/contract')
})
