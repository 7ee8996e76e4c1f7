import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { recordsOf } from '../harness/records.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { answered, failed } from './kontor.ts'

const app = await startApp()
await app.startJobs()
const env = {
  KONTOR_BASE_URL: app.baseUrl,
  KONTOR_API_KEY: app.credentials.keys.adminKey!,
  KONTOR_WORKSPACE: 'acme',
}
const deals = [
  { name: 'Small', stage: 'Won', amount: 10 },
  { name: 'Large', stage: 'Won', amount: 500 },
  { name: 'Larger', stage: 'Won', amount: 900, labels: { items: ['Key'] } },
  { name: 'Open', stage: 'Lead', amount: 900 },
]
await recordsOf(app, 'admin').createMany('deal', deals)

async function exported(...args: string[]): Promise<string[]> {
  const file = join(await scratchFolder(), 'deals.ndjson')
  const { code } = await answered(['export', 'deal', '--format', 'ndjson', '--output', file, ...args], env)
  expect(code).toBe(0)
  const lines = (await readFile(file, 'utf8')).trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { name: string }).name)
}

test('saves only the records that match every filter, in order', async () => {
  const won = ['--filter', 'stage=Won', '--sort', 'amount:desc']
  expect(await exported(...won)).toEqual(['Larger', 'Large', 'Small'])
  expect(await exported(...won, '--filter', 'amount[gt]=100')).toEqual(['Larger', 'Large'])
  expect(await exported('--filter', 'stage[One of]=Lead,Lost')).toEqual(['Open'])
  expect(await exported('--filter', 'labels=Key')).toEqual(['Larger'])
  expect(await exported(...won, '--filter', 'labels[Is empty]')).toEqual(['Large', 'Small'])
})

test('a filter that does not fit, or is given with --sql, is refused', async () => {
  expect(await answered(['export', 'deal', '--filter', 'labels[Greater than]=1'], env)).toMatchObject(
    failed(1, /no operator "Greater than"[\s\S]*allowed: .*Contains/),
  )
  expect(await answered(['export', '--sql', 'SELECT name FROM deal', '--filter', 'stage=Won'], env)).toMatchObject(
    failed(2, /Give --sql without an object/),
  )
})
