import pg from 'pg'
import { inject } from 'vitest'

/** Databases of the run's cluster. A test file makes its own from a migrated template, in some 20 ms. */

async function asAdmin<T>(work: (client: pg.Client) => Promise<T>, url = inject('postgresUrl')): Promise<T> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** On the coordinator last where tables are distributed: a database of one node is on all of them. */
async function onEachNode(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  for (const url of [...(inject('workerUrls') ?? []), inject('postgresUrl')]) await asAdmin(work, url)
}

/** The URL of a database of the run's cluster, whether or not it exists. */
function databaseUrl(name: string): string {
  const url = new URL(inject('postgresUrl'))
  url.pathname = `/${name}`
  return url.href
}

/** Names of the databases that the tests of this process have made. */
export const madeDatabases = new Set<string>()

/**
 * Makes the database `name`, empty or as a copy of `template`, and returns its URL. No client may be connected to the
 * template.
 */
export async function createDatabase(name: string, template = 'template0'): Promise<string> {
  madeDatabases.add(name)
  // As files, in half the time that they take through the log.
  const [of, from] = [pg.escapeIdentifier(name), pg.escapeIdentifier(template)]
  await onEachNode((client) => client.query(`create database ${of} template ${from} strategy file_copy`))
  return databaseUrl(name)
}

/** Removes the database, and throws its clients out. */
export async function dropDatabase(name: string): Promise<void> {
  await onEachNode((client) => client.query(`drop database if exists ${pg.escapeIdentifier(name)} with (force)`))
}

/**
 * Makes the template `name` once a run, whichever test file comes first: `build` fills the database at the URL
 * and closes its connections. The others wait.
 */
export async function ensureTemplate(name: string, build: (url: string) => Promise<void>): Promise<void> {
  await asAdmin(async (client) => {
    // Held until this connection ends.
    await client.query('select pg_advisory_lock(hashtext($1))', [name])
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name])
    if (rowCount) return
    const draft = `${name}_draft`
    await dropDatabase(draft)
    await build(await createDatabase(draft))
    // Renamed only when it is whole, so that a failed build is no template.
    await client.query(`alter database ${pg.escapeIdentifier(draft)} rename to ${pg.escapeIdentifier(name)}`)
  })
}

/**
 * Makes a template before the run, in the cluster at `url`; it takes no connections from then on, those of the
 * cluster's own processes either.
 */
export async function makeTemplate(url: string, name: string, build: (url: string) => Promise<void>): Promise<void> {
  const own = new URL(url)
  own.pathname = `/${name}`
  await asAdmin((client) => client.query(`create database ${pg.escapeIdentifier(name)} template template0`), url)
  await build(own.href)
  await asAdmin(async (client) => {
    await client.query(`alter database ${pg.escapeIdentifier(name)} with allow_connections false`)
    await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name])
  }, url)
}

/** Sets whether the database at `url` accepts connections; those that exist stay. */
export const letConnect = (url: string, isLet: boolean): Promise<unknown> =>
  asAdmin((client) =>
    client.query(
      `alter database ${pg.escapeIdentifier(new URL(url).pathname.slice(1))} with allow_connections ${isLet}`,
    ),
  )

/** Ends all connections to the database at `url`, as an administrator does; how many there were. */
export async function terminateBackends(url: string): Promise<number> {
  const name = new URL(url).pathname.slice(1)
  return asAdmin(
    async (client) =>
      (await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]))
        .rowCount ?? 0,
  )
}
