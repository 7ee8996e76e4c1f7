import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { copiedDatabase, openAt } from '../harness/database.ts'
import { say } from '../harness/long-run.ts'
import { nextVersion } from '../harness/next-version.ts'
import { startServer, startWorker } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'
import { Writers } from '../harness/writers.ts'

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })

/** A copy of the database, without the app of this process, and how servers and workers of each version start on it. */
async function installation() {
  const { url, remove } = await copiedDatabase(app.databaseUrl)
  onTestFinished(remove)
  const settings = { ENCRYPTION_KEYS: key }
  return {
    url,
    serve: (version = {}) => startServer(url, { ...settings, KONTOR_JOBS: '0', ...version }),
    work: (version = {}) => startWorker(url, { ...settings, ...version }),
  }
}

/** Clients that write to the servers of a list, which changes as that of a load balancer does. */
function clientsOf(servers: readonly { readonly baseUrl: string }[], mayBreak = false) {
  const baseUrls = () => servers.map(({ baseUrl }) => baseUrl)
  const writers = new Writers({ baseUrls, credentials: app.credentials, count: 8, mayBreak })
  writers.start()
  return writers
}

/** Ends the writers, and expects that they got only successes and 503, and that what was acknowledged is there. */
async function expectKept(writers: Writers, baseUrl: string): Promise<void> {
  await writers.stop()
  say(`answers: ${JSON.stringify([...writers.statuses])}`)
  expect(writers.faults).toEqual([])
  expect(await writers.differences(baseUrl)).toEqual([])
}

const refusal = /Servers or workers of an older version are connected: 1 .* Stop them, then try again/

describe.runIf(inject('database') === 'postgres')('an upgrade of servers and workers', { timeout: 240_000 }, () => {
  test('with rolling migrations replaces one after another under load, and the old version starts again', async () => {
    const { serve, work } = await installation()
    const [first, second, worker] = await Promise.all([serve(), serve(), work()])
    const servers = [first, second]
    const writers = clientsOf(servers)
    await writers.progress(50)
    for (const old of [first, second]) {
      const next = await serve(nextVersion('rolling'))
      servers.splice(servers.indexOf(old), 1, next)
      // Until those requests have ended that were on their way to it.
      await writers.progress(50)
      expect(await old.terminate()).toBe(0)
    }
    await work(nextVersion('rolling'))
    expect(await worker.terminate()).toBe(0)
    servers.push(await serve())
    await writers.progress(50)
    await expectKept(writers, servers[2]!.baseUrl)
  })

  test('with another migration waits until all older ones are stopped, which serve on', async () => {
    const { serve, work } = await installation()
    const server = await serve()
    const writers = clientsOf([server])
    await expect(serve(nextVersion('strict'))).rejects.toThrow(refusal)
    await expect(work(nextVersion('strict'))).rejects.toThrow(refusal)
    await writers.progress(50)
    await expectKept(writers, server.baseUrl)
    await server.terminate()
    const next = await serve(nextVersion('strict'))
    expect(await next.terminate()).toBe(0)
    await expect(serve()).rejects.toThrow('The database is newer than this version of Kontor')
  })

  test('that a process has missed ends it: it answers 503, writes nothing, and exits', async () => {
    const { url, serve, work } = await installation()
    const [server, worker] = await Promise.all([serve({ DRAIN_MS: '3000' }), work()])
    const servers = [server]
    const writers = clientsOf(servers, true)
    await writers.progress(50)
    const database = openAt(url)
    onTestFinished(() => database.close())
    const run = (text: string) => database.write((tx) => tx.change(({ knex }) => knex.raw(text)))
    const columns = "select n + 1, '9999-next', 0, false from (select max(number) as n from kontor_migration) as m"
    await run(`insert into kontor_migration (number, name, applied_at, rolling) ${columns}`)
    // Nothing but the loss of its connection makes a process look.
    await run(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'kontor-listen %' " +
        'and datname = current_database()',
    )
    // Requests that were under way at the first of them have ended long before the last.
    await until(() => (writers.statuses.get(503) ?? 0) > 200, { what: 'responses with 503' })
    const before = writers.created.length
    for (const { gone, output } of [server, worker]) {
      await gone
      expect(output()).toContain('was migrated to migration')
    }
    expect(writers.created.length).toBe(before)
    await run("delete from kontor_migration where name = '9999-next'")
    servers.push(await serve())
    servers.shift()
    await writers.progress(50)
    await expectKept(writers, servers[0]!.baseUrl)
  })
})
