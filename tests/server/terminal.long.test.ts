import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { onTerminal } from '../cli/kontor.ts'
import { startApp } from '../harness/app.ts'
import { scratchFolder } from '../harness/scratch.ts'

const app = await startApp()

const hasTerminal = process.platform === 'linux' && spawnSync('script', ['--version']).status === 0

test.runIf(hasTerminal)('the log can be read at a terminal, and is JSON elsewhere', async () => {
  // It ends by itself, since the port is taken, and has warned before.
  const env = {
    DATABASE_URL: app.databaseUrl,
    DATA_DIR: await scratchFolder(),
    PORT: new URL(app.origin).port,
    BASEURL: 'x',
  }
  const { output } = await onTerminal(['serve'], env)
  expect(output).toMatch(/\d\d:\d\d:\d\d.*WARN.*Kontor has no setting BASEURL\. Did you mean BASE_URL\?/)
  expect(output).not.toContain('{"level"')
})
