import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { openAt, type TestDatabase } from '../harness/database.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { freePort } from '../harness/free-port.ts'
import { failed, answered, lines } from './kontor.ts'

const { databaseUrl, api } = await startApp()
const run = (...args: string[]) => answered(args, { DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' })

/** Events of the people whom each test begins with: on Postgres, jobs number them. */
const unnumbered = inject('database') === 'postgres' ? '; \\d+ events wait for a number, .*' : ''

const minute = 60_000
const idOf = (number: number): string => `01900000-0000-7000-8000-00000000000${number}`

let database: TestDatabase
let acmeId = ''
beforeAll(async () => {
  database = openAt(databaseUrl)
  acmeId = (await api.get('/workspaces')).body.data.find(
    ({ attributes }: { attributes: { slug: string } }) => attributes.slug === 'acme',
  ).id
})
afterAll(() => database.close())

const insert = (id: string, more: Record<string, unknown>): Promise<void> => {
  const now = Date.now()
  const job = {
    workspace_id: acmeId,
    id,
    kind: 'things.do',
    job_key: null,
    payload: {},
    run_at: now,
    scheduled_at: now,
    attempt: 1,
    losses: 0,
    failures: 0,
    leased_by: null,
    leased_at: null,
    last_error: null,
    created_at: now,
    ended_at: null,
  }
  return database.write((tx) => tx.insert('job', [{ ...job, ...more }]))
}

const hasFailed = { failures: 12, last_error: 'Error: no such thing', ended_at: Date.now() - minute }

describe('kontor jobs', () => {
  test('list says when there is nothing', async () => {
    expect(await run('jobs', 'list')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^0 waiting; 0 running; 0 for later; 0 failed${unnumbered}\n$`)),
      stderr: '',
    })
  })

  test('list says how many there are of each, and why some have failed', async () => {
    await insert(idOf(1), { run_at: Date.now() - 5 * minute })
    await insert(idOf(2), { run_at: Date.now() + 60 * minute })
    await insert(idOf(3), { leased_by: 'a node', leased_at: Date.now() })
    await insert(idOf(4), hasFailed)
    await insert(idOf(5), {
      ...hasFailed,
      workspace_id: '00000000-0000-0000-0000-000000000000',
      job_key: 'a',
      ended_at: Date.now(),
    })
    const { json } = await run('jobs', 'list', '--json')
    expect(json).toMatchObject({
      waiting: 1,
      running: 1,
      scheduled: 1,
      failed: 2,
      failures: [
        { id: idOf(5), workspace: null },
        { id: idOf(4), workspace: 'acme', kind: 'things.do', failures: 12, last_error: 'Error: no such thing' },
      ],
    })
    expect(json.lagMs).toBeGreaterThanOrEqual(5 * minute)
    const { stdout } = await run('jobs', 'list')
    expect(stdout).toMatch(
      new RegExp(`^1 waiting, the oldest for \\d+ minutes; 1 running; 1 for later; 2 failed${unnumbered}\n`),
    )
    expect(stdout).toContain(`failed  ${idOf(4)}  things.do of acme, at `)
    expect(stdout).toContain('tried 12 times: Error: no such thing')
  })

  test('so does doctor', async () => {
    const { code, json } = await answered(['doctor', '--json'], {
      DATABASE_URL: databaseUrl,
      DATA_DIR: await scratchFolder(),
      PORT: String(await freePort()),
    })
    expect(code).toBe(0)
    expect(json.checks).toContainEqual({
      name: 'Jobs',
      status: 'warn',
      detail: expect.stringMatching(
        lines(
          /^1 waiting, .* 2 failed.*/,
          / +Jobs are late: no server and no worker takes them.*"kontor worker" does\./,
          / +things\.do: 2 failed permanently, 0 will be retried: Error: no such thing/,
          / +"kontor jobs list" shows those that failed, "kontor jobs retry" runs them again\.$/,
        ),
      ),
    })
  })

  test('retry lets those that are named run again, and none in whose place another runs', async () => {
    const { json } = await run('jobs', 'retry', idOf(4), idOf(1), '--json')
    expect(json).toMatchObject([{ id: idOf(4) }])
    await insert(idOf(6), { workspace_id: '00000000-0000-0000-0000-000000000000', job_key: 'a' })
    expect((await run('jobs', 'retry', '--all')).stdout).toBe('There are no failed jobs to retry.\n')
    await database.write((tx) =>
      tx.deleteByKey('job', [{ workspace_id: '00000000-0000-0000-0000-000000000000', id: idOf(6) }]),
    )
    expect((await run('jobs', 'retry', '--all')).stdout).toBe(`again  ${idOf(5)}  things.do\n1 job will run again.\n`)
    expect((await run('jobs', 'list', '--json')).json).toMatchObject({ waiting: 3, failed: 0, failures: [] })
    const jobs = await database.reader.query(({ knex }) => knex('job').where('id', idOf(4)))
    expect(jobs).toMatchObject([{ failures: 0, ended_at: null }])
  })

  test('retry says what is no id', async () => {
    expect(await run('jobs', 'retry', 'all')).toMatchObject(failed(1, /"all" is not a job id/))
  })
})
