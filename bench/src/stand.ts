import { assertSeededRows } from './compare.ts'
import { authorizationOf } from './keys.ts'
import type { Options } from './options.ts'
import type { Databases } from './databases.ts'
import { startKontor, type Server } from './processes.ts'
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
export type Unserved = Pick<Stand, 'url' | 'seeded' | 'authorization' | 'drop'>

/** Makes a seeded database, and verifies that our own writes leave the rows that the seeder leaves. */
export async function openUnserved(
  databases: Databases,
  people: number,
  options: Options,
  say: (text: string) => void,
): Promise<Unserved> {
  const { url, seeded, wasUsed, drop } = await openSeeded(databases, people, options, say)
  const server = await startKontor(url, databases.folder, options)
  const authorization = await authorizationOf(url, server.baseUrl)
  if (!wasUsed) {
    await assertSeededRows({ url, seeded, ours: oursOf(server, authorization) })
    say('the seeder writes what we do')
  }
  await server.stop()
  return { url, seeded, authorization, drop }
}

export async function serve(unserved: Unserved, { folder }: Databases, options: Options): Promise<Stand> {
  const server = await startKontor(unserved.url, folder, options)
  return { ...unserved, baseUrl: server.baseUrl, ours: oursOf(server, unserved.authorization), stop: server.stop }
}

const oursOf = (server: Server, authorization: string): Contender => ({
  port: server.port,
  headers: { Authorization: authorization },
  server,
})
