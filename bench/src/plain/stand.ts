import { setTimeout as sleep } from 'node:timers/promises'
import { awaitIndexes } from '../indexes.ts'
import { authorizationOf } from '../keys.ts'
import type { Options } from '../options.ts'
import { resourcesOf } from '../paths.ts'
import type { Databases } from '../databases.ts'
import { startKontor, startPlain, type Server } from '../processes.ts'
import type { Contender } from '../rates.ts'
import { workspace } from '../seed.ts'
import { treeBytesOf } from '../usage.ts'
import { bytesOf, databaseCpu } from './database.ts'
import { fewestPersons, partsOfNames, titlesWith } from './persons.ts'
import { callOf, createCompanies, createPersons, createStore, createWorkspace } from './seed.ts'

/** A server, with what a person takes in its database. */
type Measured = Contender & { readonly bytesOfPerson: number }

/** The same persons in three databases: ours, a plain one, and a plain one that is tuned. */
export type PlainStand = {
  readonly url: string
  readonly people: number
  readonly personIds: readonly string[]
  readonly companyIds: readonly string[]
  readonly ours: Measured
  readonly plain: Measured
  readonly tuned: Measured
  /** The memory of the server some seconds after its start, before the first request. */
  readonly idleBytes: number | undefined
  readonly stop: () => Promise<void>
  readonly drop: () => Promise<void>
}

type Say = (text: string) => void

/** Equality by title and a part of a name: each has an index built by the first list that asks. */
const indexedLists = (people: number) =>
  [
    `filter%5Bjob_title%5D=${encodeURIComponent(titlesWith(5)[0] as string)}`,
    `filter%5Bname%5D%5BContains%5D=${encodeURIComponent(partsOfNames(people)[0] as string)}`,
  ].map((query) => ({ path: resourcesOf({ workspace }, query) }))

export async function openPlainStand(
  databases: Databases,
  people: number,
  options: Options,
  say: Say,
): Promise<PlainStand> {
  if (people < fewestPersons) throw new Error(`The set plain needs at least ${fewestPersons} persons`)
  const names = [`beside_kontor_${people}`, `beside_plain_${people}`, `beside_tuned_${people}`] as const
  // One after the other, as Postgres copies its template.
  const urls = [
    await databases.create(names[0]),
    await databases.create(names[1]),
    await databases.create(names[2]),
  ] as const
  const { personIds, companyIds, bytesOfPerson } = await fill(urls, databases.folder, people, say)
  const databaseCpuMs = await databaseCpu(urls[0])
  // Started anew, since the memory of one that has just created everything is another.
  const ours = await startKontor(urls[0], databases.folder, options)
  await sleep(options.isQuick ? 500 : 3000)
  const idleBytes = treeBytesOf(ours.pid)
  const headers = { Authorization: await authorizationOf(urls[0], ours.baseUrl) }
  const plain = await startPlain({ databaseUrl: urls[1], isTuned: false }, options)
  const tuned = await startPlain({ databaseUrl: urls[2], isTuned: true }, options)
  const contender = (server: Server, index: 0 | 1 | 2): Measured => ({
    port: server.port,
    headers: index === 0 ? headers : {},
    server,
    databaseCpuMs,
    bytesOfPerson: bytesOfPerson[index],
  })
  return {
    url: urls[0],
    people,
    personIds,
    companyIds,
    ours: contender(ours, 0),
    plain: contender(plain, 1),
    tuned: contender(tuned, 2),
    idleBytes,
    stop: async () => void (await Promise.all([ours, plain, tuned].map((one) => one.stop()))),
    drop: async () => {
      for (const name of names) await databases.drop(name)
    },
  }
}

/** Ours, the plain one, the tuned one. */
type Three<T> = readonly [T, T, T]

type Filled = Pick<PlainStand, 'personIds' | 'companyIds'> & { readonly bytesOfPerson: Three<number> }

/** Our database through the API, with the indexes that its lists will have asked for, and the others beside it. */
async function fill(urls: Three<string>, dataDir: string, people: number, say: Say): Promise<Filled> {
  const [url, plainUrl, tunedUrl] = urls
  await createWorkspace(url)
  const server = await startKontor(url, dataDir, {})
  const headers = { Authorization: await authorizationOf(url, server.baseUrl) }
  const stores = [await createStore(plainUrl, false), await createStore(tunedUrl, true)]
  const filling = { call: callOf(server.baseUrl, headers), stores, say }
  const bytes = async () => [await bytesOf(url), await bytesOf(plainUrl), await bytesOf(tunedUrl)] as const
  const companyIds = await createCompanies(filling, people / 10)
  const before = await bytes()
  const personIds = await createPersons(filling, people, companyIds)
  await awaitIndexes(url, { port: server.port, headers }, indexedLists(people), say)
  await Promise.all([server.stop(), ...stores.map((store) => store.close())])
  const after = await bytes()
  const grown = (index: 0 | 1 | 2) => (after[index] - before[index]) / people
  return { companyIds, personIds, bytesOfPerson: [grown(0), grown(1), grown(2)] }
}
