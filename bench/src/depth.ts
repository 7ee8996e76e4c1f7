import { personAttributes } from './attributes.ts'
import { deepLink } from './asking.ts'
import type { List } from './indexes.ts'
import { resourcesOf, spread } from './paths.ts'
import type { Contender, Pair, Request } from './rates.ts'
import type { Seeded } from './seed.ts'
import type { Stand } from './stand.ts'

/** Within so many times of another, as a part of its rate. */
const within = (times: number): number => 1 / times

const get = (paths: readonly string[]): Request => ({ method: 'GET', paths })

/** Orders in which lists are read, by the query that asks for them. */
export const orders = {
  'by creation': '',
  'by name': 'sortOrder%5Bcolumn%5D=name&sortOrder%5Bdir%5D=ASC',
  'by a custom number': 'sortOrder%5Bcolumn%5D=score&sortOrder%5Bdir%5D=ASC',
} as const

/** Lists whose indexes are built on the first request; nothing is measured before they are there. */
export const indexedLists = ({ seeded }: Stand): List[] => [{ path: resourcesOf(seeded, orders['by a custom number']) }]

export async function farPairs(stand: Stand): Promise<Pair[]> {
  const pairs: Pair[] = []
  // One after another: a deep page may take all the time that a statement has.
  for (const [order, query] of Object.entries(orders))
    pairs.push({
      what: `page at depth ${(stand.seeded.people / 2).toLocaleString('en-US')} ${order}`,
      atLeast: within(1.5),
      beside: 'page one',
      other: { of: stand.ours, request: get([resourcesOf(stand.seeded, query)]) },
      ours: { of: stand.ours, request: get([await deepLink(stand, query)]) },
    })
  return pairs
}

export function feedPairs({ seeded, ours }: Stand): Pair[] {
  const [long, short] = seeded.changedIds
  const feed = (id: string | undefined) =>
    get([`/v1/workspaces/${seeded.workspace}/objects/person/records/${id}/activities?page%5Blimit%5D=50`])
  const what = 'feed of a record with 100,000 events'
  return [
    {
      what,
      atLeast: within(1.5),
      beside: 'one with 100',
      other: { of: ours, request: feed(short) },
      ours: { of: ours, request: feed(long) },
    },
  ]
}

/** The same asked of a larger and of a smaller database. */
export function growthPairs(smaller: Stand, stand: Stand): Pair[] {
  const beside = `${smaller.seeded.people.toLocaleString('en-US')} persons`
  const pair = (what: string, pathOf: (seeded: Seeded) => string): Pair => ({
    what,
    atLeast: within(1.3),
    beside,
    other: { of: smaller.ours, request: get([pathOf(smaller.seeded)]) },
    ours: { of: stand.ours, request: get([pathOf(stand.seeded)]) },
  })
  return [
    ...Object.entries(orders).map(([order, query]) =>
      pair(`page one ${order}`, (seeded) => resourcesOf(seeded, query)),
    ),
    pair(
      'exact total, with one record',
      ({ workspace }) => `/v1/workspaces/${workspace}/objects/person/resources?page%5Blimit%5D=1`,
    ),
  ]
}

const person = (companyId: string) => ({ type: 'person', attributes: personAttributes('load', '{n}', companyId) })

/** Creating with everything that a record leaves, beside the record, its links and its unique values alone. */
export function tracesPair({ seeded, ours }: Stand, bare: Contender): Pair {
  const request: Request = {
    method: 'POST',
    paths: [`/v1/workspaces/${seeded.workspace}/objects/person/records`],
    bodies: spread(seeded.companyIds, 997).map((id) => JSON.stringify({ data: person(id) })),
  }
  return {
    what: 'create one',
    atLeast: 0.6,
    beside: 'the same without history, events and index rows',
    other: { of: bare, request },
    ours: { of: ours, request },
  }
}
