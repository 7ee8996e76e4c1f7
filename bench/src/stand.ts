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

export async function openStand(
  databases: Databases,
  people: number,
  options: Options,
  say: (text: string) => void,
): Promise<Stand> {
  const { url, seeded, wasUsed, drop } = await openSeeded(databases, people, options, say)
  const server = await startKontor(url, databases.folder, options)
  const authorization = await authorizationOf(url, server.baseUrl)
  const stand: Stand = {
    url,
    seeded,
    baseUrl: server.baseUrl,
    authorization,
    ours: { port: server.port, headers: { Authorization: authorization }, server },
    stop: server.stop,
    drop,
  }
  if (!wasUsed) {
    await assertSeededRows(stand)
    say('the seeder writes what we do')
  }
  return stand
}
