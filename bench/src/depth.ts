import { personAttributes } from './attributes.ts'
import { besideFloor, deepLink } from './asking.ts'
import { creating } from './basics.ts'
import type { List } from './indexes.ts'
import { resourcesOf, spread } from './paths.ts'
import type { Contender, Pair, Request } from './rates.ts'
import type { Seeded } from './seed.ts'
import type { Stand } from './stand.ts'

/** Within so many times of another, as a part of its rate. */
const within = (times: number): number => 1 / times

/** A scan of a million documents takes a second: four at a time keep both cores busy. */
const scanConnections = 4

const get = (paths: readonly string[]): Request => ({ method: 'GET', paths })

const numbers = ({ people }: Seeded, length: number): number[] =>
  Array.from({ length }, (_, index) => (index * 7919 + 17) % people)

const fullName = (number: number): string =>
  (personAttributes('person', number, '')['name'] as { full_name: string }).full_name

const filtered = (seeded: Seeded, filter: string, values: readonly string[]): Request =>
  get(values.map((value) => resourcesOf(seeded, `${filter}=${encodeURIComponent(value)}`)))

/** Parts of names that a few persons have, and a surname that one in sixty has. */
export function containsPairs(stand: Stand): Pair[] {
  const { seeded } = stand
  const name = 'filter%5Bname%5D%5BContains%5D'
  const few = numbers(seeded, 499).map((number) => fullName(number).slice(-10))
  const pair = (what: string, values: readonly string[]): Pair => ({
    ...besideFloor(stand, `name contains ${what}`, 10, filtered(seeded, name, values)),
    beside: 'a scan by the floor',
    connections: scanConnections,
  })
  return [pair('the end of one', few), pair('a surname of one in sixty', ['antwell', 'raham', 'derholt', 'alvert'])]
}

export const equalPairs = (stand: Stand): Pair[] => {
  const { seeded } = stand
  return [
    besideFloor(
      stand,
      'name is, one record',
      0.6,
      filtered(seeded, 'filter%5Bname%5D', numbers(seeded, 4001).map(fullName)),
    ),
    besideFloor(
      stand,
      'company is, ten records',
      0.6,
      filtered(seeded, 'filter%5Bcompany_id%5D', spread(seeded.companyIds, 4001)),
    ),
    besideFloor(
      stand,
      `custom number is, ${seeded.people / 10_000} records`,
      0.6,
      filtered(
        seeded,
        'filter%5Bscore%5D',
        numbers(seeded, 4001).map((number) => `${number % 10_000}`),
      ),
    ),
  ]
}

/** Orders in which lists are read, by the query that asks for them. */
export const orders = {
  'by creation': '',
  'by name': 'sortOrder%5Bcolumn%5D=name&sortOrder%5Bdir%5D=ASC',
  'by a custom number': 'sortOrder%5Bcolumn%5D=score&sortOrder%5Bdir%5D=ASC',
} as const

/** Lists whose indexes are built on the first request; nothing is measured before they are there. */
export const indexedLists = ({ seeded }: Stand): List[] =>
  [orders['by a custom number'], 'filter%5Bname%5D%5BContains%5D=antwell'].map((query) => ({
    path: resourcesOf(seeded, query),
  }))

export const farPairs = (stand: Stand): Promise<Pair[]> =>
  Promise.all(
    Object.entries(orders).map(async ([order, query]) => ({
      what: `page at depth ${(stand.seeded.people / 2).toLocaleString('en-US')} ${order}`,
      atLeast: within(1.5),
      beside: 'page one',
      other: { of: stand.ours, request: get([resourcesOf(stand.seeded, query)]) },
      ours: { of: stand.ours, request: get([await deepLink(stand, query)]) },
    })),
  )

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

/** Creating with everything that a record leaves, beside the record, its links and its unique values alone. */
export function tracesPairs(stand: Stand, bare: Contender): Pair[] {
  const request = creating(stand)
  const less = { ...request, paths: request.paths.map((path) => `${path}?bare`) }
  const pair = { atLeast: 0.6, beside: 'the same without history, events and index rows' }
  return [
    { ...pair, what: 'create one', other: { of: bare, request }, ours: { of: stand.ours, request } },
    {
      ...pair,
      what: 'create one, by the floor',
      other: { of: stand.floor, request: less },
      ours: { of: stand.floor, request },
    },
  ]
}
