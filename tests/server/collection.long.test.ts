import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { kontor } from '../cli/kontor.ts'
import { emptyDatabase } from '../harness/database.ts'
import { httpClient } from '../harness/http.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'

const newman = fileURLToPath(import.meta.resolve('newman/bin/newman.js'))

test('newman runs the collection in order in a new workspace', { timeout: 300_000 }, async ({ onTestFinished }) => {
  const scratch = await emptyDatabase()
  const http = httpClient()
  onTestFinished(async () => {
    http.close()
    await scratch.remove()
  })
  const folder = await scratchFolder()
  const env = { DATA_DIR: folder, DATABASE_URL: scratch.url }
  const { baseUrl } = await startServer(scratch.url, env)
  const admin = ['--workspace', 'fresh', '--email', 'ada@example.com']
  await kontor(['workspace', 'create', '--slug', 'fresh', '--name', 'Fresh', '--admin-email', 'ada@example.com'], env)
  await kontor(['user', 'add', '--workspace', 'fresh', '--email', 'bob@example.com', '--role', 'member'], env)
  const made = await kontor(['key', 'create', ...admin, '--kind', 'personal', '--json'], env)
  const accessToken = (await kontor(['token', '--email', 'ada@example.com'], env)).stdout.trim()
  const file = join(folder, 'collection.json')
  const { origin } = new URL(baseUrl)
  const { body } = await http.send({ method: 'GET', url: `${origin}/docs/kontor.postman_collection.json` })
  await writeFile(file, JSON.stringify(body))
  const variables = {
    workspace: 'fresh',
    apiKey: made.json.data.attributes.cleartext_api_key as string,
    accessToken,
  }
  const args = Object.entries(variables).flatMap(([name, value]) => ['--env-var', `${name}=${value}`])
  const run = promisify(execFile)(process.execPath, [newman, 'run', file, ...args, '--reporters', 'cli'], {
    env: { PATH: process.env['PATH'], NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  })
  const { stdout, failed } = await run.then(
    (ended) => ({ ...ended, failed: '' }),
    (failure: { stdout: string }) => ({ ...failure, failed: failure.stdout.split(/#\s+failure/)[1] ?? failure.stdout }),
  )
  expect(failed).toBe('')
  // Newman succeeds too if it runs nothing.
  expect(stdout.match(/✓\s+succeeds/g)?.length).toBeGreaterThan(170)
})
