import { once } from 'node:events'
import type { RecordResource } from '@kontor/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { emptyDatabase, type ScratchDatabase } from '../harness/database.ts'
import { freePort } from '../harness/free-port.ts'
import { answered, answerOf, kontor, scratchFile, start, type Running } from './kontor.ts'

let scratch: ScratchDatabase
let port: number
let server: Running
let env: Record<string, string>

const serve = async (): Promise<Running> => {
  const running = start(['serve'], {
    DATABASE_URL: scratch.url,
    PORT: String(port),
    KONTOR_DEMO: '0',
    LOG_LEVEL: 'warn',
    RATE_LIMIT_PER_MINUTE: '0',
  })
  await vi.waitFor(() => fetch(`http://127.0.0.1:${port}/readyz`), { timeout: 15_000, interval: 25 })
  return running
}

const kill = async ({ child, ended }: Running): Promise<void> => {
  child.kill('SIGKILL')
  await ended
}

beforeAll(async () => {
  scratch = await emptyDatabase()
  port = await freePort()
  const database = { DATABASE_URL: scratch.url }
  await kontor(['workspace', 'create', '--slug', 'acme', '--name', 'Acme', '--admin-email', 'a@example.com'], database)
  const { stdout } = await kontor(
    ['key', 'create', '--workspace', 'acme', '--email', 'a@example.com', '--kind', 'personal'],
    database,
  )
  env = { KONTOR_BASE_URL: `http://127.0.0.1:${port}/v1`, KONTOR_WORKSPACE: 'acme', KONTOR_API_KEY: stdout.trim() }
  server = await serve()
}, 60_000)

afterAll(async () => {
  await kill(server)
  await scratch.remove()
})

/** Nothing in them is unique: a row that is written twice is there twice. */
const rows = (group: string): string[] => Array.from({ length: 4000 }, (_, i) => `${group} ${i}`)
const args = (file: string): string[] => [
  'import',
  'person',
  file,
  '--map',
  'Name=name',
  '--map',
  'Group=job_title',
  '--json',
]

async function written(group: string): Promise<string[]> {
  const { json } = await kontor(['records', 'list', 'person', '--filter', `job_title=${group}`, '--all', '--json'], env)
  return (json.data as RecordResource[]).map(
    ({ attributes }) => (attributes['name'] as { full_name: string }).full_name,
  )
}

const importOf = async (group: string, ...more: string[]): Promise<{ file: string; running: Running }> => {
  const file = await scratchFile(
    `Name,Group\n${rows(group)
      .map((name) => `${name},${group}\n`)
      .join('')}`,
  )
  return { file, running: start([...args(file), ...more], env) }
}

/** Until some rows are in, and most are not. */
const underWay = (group: string) =>
  expect
    .poll(
      async () => {
        const people = `${env['KONTOR_BASE_URL']}/workspaces/acme/objects/person/resources`
        const response = await fetch(`${people}?filter[job_title]=${group}&page[limit]=1`, {
          headers: { Authorization: `api-key ${env['KONTOR_API_KEY']}` },
        })
        return ((await response.json()) as { meta: { total_records: number } }).meta.total_records
      },
      { timeout: 15_000, interval: 5 },
    )
    .toBeGreaterThan(4)

test('a server that is killed in the middle and comes back: every row is there once', { timeout: 60_000 }, async () => {
  const { running } = await importOf('killed')
  await underWay('killed')
  await kill(server)
  await expect.poll(running.stderr).toMatch(/waiting: No response from/)
  server = await serve()
  const { code, json, stderr } = answerOf(await running.ended)
  expect(stderr).toContain('the server is back')
  expect({ code, json }).toMatchObject({ code: 0, json: { complete: true, created: 4000, rejected: 0 } })
  expect((await written('killed')).toSorted()).toEqual(rows('killed').toSorted())
})

test(
  'a server that does not come back: the import is resumed, and no row is there twice',
  { timeout: 60_000 },
  async () => {
    const { file, running } = await importOf('gone', '--retry-for', '0')
    await underWay('gone')
    await kill(server)
    const { code, json, stderr } = answerOf(await running.ended)
    expect({ code, json }).toMatchObject({ code: 1, json: { complete: false, rejects_file: null } })
    const run = /--resume ([0-9a-f-]+)/.exec(stderr)?.[1]
    expect(run).toBe(json.run)
    server = await serve()
    const resumed = await answered([...args(file), '--resume', run!], env)
    expect(resumed).toMatchObject({ code: 0, json: { complete: true, run, created: 4000 } })
    expect((await written('gone')).toSorted()).toEqual(rows('gone').toSorted())
  },
)

test('Ctrl-C ends after the rows under way, says how to go on, and that works', { timeout: 60_000 }, async () => {
  const { file, running } = await importOf('interrupted')
  await underWay('interrupted')
  running.child.kill('SIGINT')
  const { code, json, stderr } = answerOf(await running.ended)
  expect({ code, json }).toMatchObject({ code: 130, json: { complete: false } })
  expect(stderr).toContain(`--resume ${json.run}`)
  expect(await written('interrupted')).toHaveLength(json.created)
  expect(await answered([...args(file), '--resume', json.run], env)).toMatchObject({ code: 0, json: { created: 4000 } })
  expect((await written('interrupted')).toSorted()).toEqual(rows('interrupted').toSorted())
})

test(
  'rows that an earlier attempt wrote are counted as it did, and are not in their own way',
  { timeout: 60_000 },
  async () => {
    const names = Array.from({ length: 10 }, (_, i) => `Deal ${i}`)
    const taken = await scratchFile('Name\nDeal 3\n')
    await kontor(['import', 'deal', taken, '--map', 'Name=name'], env)
    const file = await scratchFile(`Name,Amount\n${names.map((name, i) => `${name},${i}\n`).join('')}Deal 5,99\n`)
    const run = (...more: string[]) =>
      answered(['import', 'deal', file, '--map', 'Name=name', '--map', 'Amount=amount', '--json', ...more], env)
    const first = await run()
    expect(first.json).toMatchObject({ created: 9, unchanged: 0, rejected: 2 })
    expect((await run('--resume', first.json.run)).json).toMatchObject({ created: 9, unchanged: 0, rejected: 2 })
  },
)

test('SIGTERM ends the server in order', async () => {
  server.child.kill('SIGTERM')
  const [code] = (await once(server.child, 'exit')) as [number | null]
  expect(code).toBe(0)
  server = await serve()
})
