import { spawnSync } from 'node:child_process'
import { describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { kontor, onTerminal, scratchFile } from './kontor.ts'

// util-linux' `script` runs a command on a terminal of its own; other systems have another one, or none.
const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

const args = async () => ['import', 'person', await scratchFile('Name\nOne\nTwo\n'), '--map', 'Name=name']

describe.runIf(inject('database') === 'sqlite' && hasTerminal)('on a terminal', async () => {
  const { baseUrl, credentials, startJobs } = await startApp()
  await startJobs()
  const env = { KONTOR_BASE_URL: baseUrl, KONTOR_API_KEY: credentials.keys.adminKey!, KONTOR_WORKSPACE: 'acme' }
  test('an import shows its progress', async () => {
    const { code, output } = await onTerminal(await args(), env)
    expect(code).toBe(0)
    expect(output).toMatch(/people\.csv .*100% 2\/2 rows, 0 rejected/)
    expect(output).toContain('2 rows: 2 created')
  })

  test('and nowhere else', async () => {
    const { stdout, stderr } = await kontor(await args(), env)
    expect(stdout + stderr).not.toContain('%')
  })
})
