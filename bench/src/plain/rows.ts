import { spread, resourcesOf } from '../paths.ts'
import type { PlainName } from '../options.ts'
import type { Contender, Pair, Request } from '../rates.ts'
import { workspace } from '../seed.ts'
import { matchCounts, newcomer, partsOfNames, titlesWith, type Matches } from './persons.ts'
import type { PlainStand } from './stand.ts'

/** The requests to the plain server and to ours: for each way of the plain one, a pair. */
type Row = {
  readonly what: string
  readonly plain: Request
  readonly ours: Request
  /** Of the rate of the plain one, or of the tuned one where that is another. */
  readonly atLeast: { readonly plain?: number; readonly tuned?: number }
  readonly records?: number
  readonly connections?: number
}

const records = `/v1/workspaces/${workspace}/objects/person/records`
const ourList = (query: string): string => resourcesOf({ workspace }, query)
const get = (paths: readonly string[]): Request => ({ method: 'GET', paths })

const bulkSize = 1000
/** Thirty-two bulks at once would wait for each other for as long as a request may, and measure that. */
const bulkConnections = 8
const some = 4001

function singles({ personIds }: PlainStand): Row[] {
  const ids = spread(personIds, some)
  return [
    {
      what: 'get one',
      atLeast: { plain: 0.8 },
      plain: get(ids.map((id) => `/persons/${id}`)),
      ours: get(ids.map((id) => `${records}/${id}`)),
    },
    {
      what: 'get one with its company',
      atLeast: { plain: 0.6 },
      plain: get(ids.map((id) => `/persons/${id}?include=company`)),
      ours: get(ids.map((id) => `/v1/workspaces/${workspace}/objects/person/resources/${id}?include=company_id`)),
    },
  ]
}

/** The offset of a page far down. */
const far = 50_000

const pages = (): Row[] => [
  {
    what: 'list of 50, exact total',
    atLeast: { tuned: 0.6 },
    plain: get(['/persons?limit=50']),
    ours: get([ourList('')]),
  },
  {
    what: `page at offset ${far.toLocaleString('en-US')}, exact total`,
    atLeast: { tuned: 0.8 },
    plain: get([`/persons?limit=50&offset=${far}`]),
    ours: get([`${ourList('')}&page%5Boffset%5D=${far}`]),
  },
]

const equalTo = (matches: Matches): Row => {
  const titles = titlesWith(matches).map(encodeURIComponent)
  return {
    what: `equality with ${matches.toLocaleString('en-US')}, page of 50, exact total`,
    atLeast: matches === 64_000 ? {} : { plain: 0.5 },
    plain: get(titles.map((title) => `/persons?limit=50&job_title=${title}`)),
    ours: get(titles.map((title) => ourList(`filter%5Bjob_title%5D=${title}`))),
  }
}

function parts({ people, url }: PlainStand): Row[] {
  const found = partsOfNames(people).map(encodeURIComponent)
  return [
    {
      what: 'name contains, 50 to 70 found',
      atLeast: url.startsWith('sqlite:') ? { plain: 5 } : { tuned: 0.5 },
      plain: get(found.map((part) => `/persons?limit=50&name_has=${part}`)),
      ours: get(found.map((part) => ourList(`filter%5Bname%5D%5BContains%5D=${part}`))),
    },
  ]
}

const resource = (attributes: object) => ({ type: 'person', attributes })

function writes({ personIds, companyIds }: PlainStand): Row[] {
  const ids = spread(personIds, some)
  const newcomers = (count: number) => spread(companyIds, count).map((id) => newcomer(id))
  const attributes = { location: 'Somewhere {n}' }
  return [
    {
      what: 'update one field',
      atLeast: { plain: 0.35 },
      plain: { method: 'PATCH', paths: ids.map((id) => `/persons/${id}`), bodies: [JSON.stringify(attributes)] },
      ours: {
        method: 'PATCH',
        paths: ids.map((id) => `${records}/${id}`),
        bodies: [JSON.stringify({ data: resource(attributes) })],
      },
    },
    {
      what: 'create one',
      atLeast: { plain: 0.35 },
      plain: { method: 'POST', paths: ['/persons'], bodies: newcomers(997).map((one) => JSON.stringify(one)) },
      ours: {
        method: 'POST',
        paths: [records],
        bodies: newcomers(997).map((one) => JSON.stringify({ data: resource(one) })),
      },
    },
    {
      what: 'bulk of 1,000',
      atLeast: { plain: 0.4 },
      records: bulkSize,
      connections: bulkConnections,
      plain: { method: 'POST', paths: ['/persons/bulk'], bodies: [JSON.stringify(newcomers(bulkSize))] },
      ours: {
        method: 'POST',
        paths: [`${records}/bulk`],
        bodies: [JSON.stringify({ data: newcomers(bulkSize).map(resource) })],
      },
    },
  ]
}

/** The measurements beside the plain server, by requests. */
export type RowName = Exclude<PlainName, 'neighbours' | 'size'>

const rows: Readonly<Record<RowName, (stand: PlainStand) => Row[]>> = {
  singles,
  matches: () => matchCounts.map(equalTo),
  pages,
  parts,
  writes,
}

/** Where the two ways of the plain server differ, both stand beside ours. */
const areTuned: readonly RowName[] = ['pages', 'parts']

export const pairsOf = (name: RowName, stand: PlainStand): Pair[] =>
  rows[name](stand).flatMap(({ what, plain, ours, atLeast, ...others }) => {
    const pair = (beside: string, other: Contender, least: number | undefined): Pair => ({
      ...others,
      what,
      beside,
      other: { of: other, request: plain },
      ours: { of: stand.ours, request: ours },
      ...(least !== undefined && { atLeast: least }),
    })
    return areTuned.includes(name)
      ? [pair('plain, tuned', stand.tuned, atLeast.tuned), pair('plain', stand.plain, atLeast.plain)]
      : [pair('plain', stand.plain, atLeast.plain)]
  })
