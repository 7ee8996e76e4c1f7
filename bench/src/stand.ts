import { assertSameWork } from './compare.ts'
import { authorizationOf } from './keys.ts'
import type { Options } from './options.ts'
import type { Databases } from './databases.ts'
import { startFloor, startKontor } from './processes.ts'
import type { Contender } from './rates.ts'
import type { Seeded } from './seed.ts'
import { openSeeded } from './seeded.ts'

/** A seeded database with the floor and the server upon it, known to do the same work. */
export type Stand = {
  readonly url: string
  readonly seeded: Seeded
  readonly baseUrl: string
  /** A key of the admin, as a header. */
  readonly authorization: string
  readonly floor: Contender
  readonly ours: Contender
  /** Stops the servers; the database stays until `drop`. */
  readonly stop: () => Promise<void>
  readonly drop: () => Promise<void>
}

export async function openStand(
  databases: Databases,
  people: number,
  options: Options,
  say: (text: string) => void,
): Promise<Stand> {
  const { url, seeded, drop } = await openSeeded(databases, people, options.keptIn !== undefined, say)
  const { workspaceId, userId, workspace } = seeded
  const server = await startKontor(url, databases.folder, options)
  const floor = await startFloor({ workspaceId, userId, workspace, databaseUrl: url, baseUrl: server.baseUrl }, options)
  const authorization = await authorizationOf(url, server.baseUrl)
  const stand: Stand = {
    url,
    seeded,
    baseUrl: server.baseUrl,
    authorization,
    floor: { port: floor.port, headers: {}, server: floor },
    ours: { port: server.port, headers: { Authorization: authorization }, server },
    stop: async () => void (await Promise.all([server.stop(), floor.stop()])),
    drop,
  }
  await assertSameWork(stand)
  say('the floor answers and writes what we do')
  return stand
}
