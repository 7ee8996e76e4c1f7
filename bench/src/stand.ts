import { assertSeededRows } from './compare.ts'
import { authorizationOf } from './keys.ts'
import type { Options } from './options.ts'
import type { Databases } from './databases.ts'
import { startKontor } from './processes.ts'
import type { Contender } from './rates.ts'
import type { Seeded } from './seed.ts'
import { openSeeded } from './seeded.ts'

/** A seeded database with the server upon it, whose own writes are known to leave the same rows. */
export type Stand = {
  readonly url: string
  readonly seeded: Seeded
  readonly baseUrl: string
  /** A key of the admin, as a header. */
  readonly authorization: string
  readonly ours: Contender
  /** Stops the server; the database stays until `drop`. */
  readonly stop: () => Promise<void>
  readonly drop: () => Promise<void>
}

/** A seeded database that no server is on, and a key of its admin, as a header. */
export type Unserved = Pick<Stand, 'url' | 'seeded' | 'authorization'>

/** With `first`, that is done before, while no server is on the database: SQLite has one at a time. */
export async function openStand(
  databases: Databases,
  people: number,
  options: Options,
  say: (text: string) => void,
  first?: (unserved: Unserved) => Promise<void>,
): Promise<Stand> {
  const { url, seeded, wasUsed, drop } = await openSeeded(databases, people, options, say)
  const earlier = await startKontor(url, databases.folder, options)
  const authorization = await authorizationOf(url, earlier.baseUrl)
  const headers = { Authorization: authorization }
  if (!wasUsed) {
    await assertSeededRows({ url, seeded, ours: { port: earlier.port, headers, server: earlier } })
    say('the seeder writes what we do')
  }
  if (first !== undefined) {
    await earlier.stop()
    await first({ url, seeded, authorization })
  }
  const server = first === undefined ? earlier : await startKontor(url, databases.folder, options)
  return {
    url,
    seeded,
    baseUrl: server.baseUrl,
    authorization,
    ours: { port: server.port, headers, server },
    stop: server.stop,
    drop,
  }
}
