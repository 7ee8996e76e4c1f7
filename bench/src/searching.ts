import { personAttributes } from './attributes.ts'
import { besideFloor } from './asking.ts'
import type { Fact } from './facts.ts'
import type { List } from './indexes.ts'
import { resourcesOf } from './paths.ts'
import { median, type Contender, type Pair } from './rates.ts'
import type { Stand } from './stand.ts'

/** A search page of so few hits takes no longer than this. */
const hitsMax = 10_000
const pageMsMax = 20

const paths = (stand: Stand, searches: readonly string[]): string[] =>
  searches.map((words) => resourcesOf(stand.seeded, `search=${encodeURIComponent(words)}`))

/** Searching has an index of its own, built on the first search of an object that has become large. */
export const searchedLists = (stand: Stand): List[] =>
  paths(stand, ['antwell']).flatMap((path) => [{ path }, { path: path.replace('/person/', '/company/') }])

/** The numbers of persons, which hardly another has. */
const numbers = ({ seeded: { people } }: Stand, length: number): string[] =>
  Array.from({ length }, (_, index) => String(((index * 7919 + 17) % (people - people / 10)) + people / 10))

/** Parts of words that a few persons have. */
export const searchPair = (stand: Stand, floor: Contender): Pair => ({
  ...besideFloor(floor, stand, {
    what: 'search for one record',
    atLeast: 10,
    request: { method: 'GET', paths: paths(stand, numbers(stand, 499)) },
  }),
  beside: 'a scan by the floor',
})

type Meta = { readonly total_records: number; readonly total_capped?: true }

const surnames = Array.from({ length: 40 }, (_, index) =>
  (
    (personAttributes('person', index, '')['name'] as { last_name: string }).last_name.split(' ')[0] as string
  ).toLowerCase(),
)

/** Kinds of searches; each with as many different ones as there are surnames. */
const kinds: readonly (readonly [what: string, searches: (stand: Stand) => readonly string[]])[] = [
  ['a number', (stand) => numbers(stand, surnames.length)],
  ['a surname and two digits', () => surnames.map((name, index) => `${name} ${10 + index}`)],
  ['a part of a surname and a digit', () => surnames.map((name, index) => `${name.slice(1)} ${1 + (index % 9)}`)],
  ['three digits', () => surnames.map((_, index) => String(300 + index * 17))],
  ['a surname', () => surnames],
]

/** Measures one search of each kind, by itself: pages of an object, and the best of all objects. */
export async function measureSearch(stand: Stand, say: (text: string) => void): Promise<Fact[]> {
  const { seeded, ours, baseUrl } = stand
  const call = async (url: string, body?: object): Promise<Found | undefined> => {
    const started = performance.now()
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(url, { ...init, headers: { ...ours.headers, 'Content-Type': 'application/json' } })
    const { meta } = (await response.json()) as { readonly meta: Meta }
    if (response.status === 503) return undefined
    if (!response.ok) throw new Error(`${url} answers ${response.status}`)
    return { ms: performance.now() - started, meta }
  }
  const facts: Fact[] = []
  for (const [what, searchesOf] of kinds) {
    const searches = searchesOf(stand)
    const ways = {
      page: (words: string) =>
        call(`${new URL(baseUrl).origin}${resourcesOf(seeded, `search=${encodeURIComponent(words)}`)}`),
      'best of all objects': (words: string) =>
        call(`${baseUrl}/workspaces/${seeded.workspace}/search`, { query: words, limit: 50 }),
    }
    for (const [way, ask] of Object.entries(ways)) {
      // The first has its statements prepared.
      await ask(searches[0] as string)
      const found: (Found | undefined)[] = []
      for (const words of searches) found.push(await ask(words))
      const made = factsOf(`search for ${what}, ${way}`, found)
      facts.push(...made)
      for (const fact of made) say(`${fact.what}: ${fact.value}`)
    }
  }
  return facts
}

type Found = { readonly ms: number; readonly meta: Meta }

const isPromised = ({ meta }: Found): boolean => meta.total_capped !== true && meta.total_records < hitsMax

/** Searches that were refused as too slow, those with few hits, of which something is promised, and the others. */
function factsOf(what: string, tried: readonly (Found | undefined)[]): Fact[] {
  const found = tried.filter((one) => one !== undefined)
  const refused = tried.length - found.length
  const [few, many] = [found.filter(isPromised), found.filter((one) => !isPromised(one))]
  return [
    ...(refused === 0 ? [] : [{ what: `${what}, refused`, value: `${refused} of ${tried.length}`, isMet: false }]),
    ...(few.length === 0
      ? []
      : [
          {
            what: `${what} takes < ${pageMsMax} ms`,
            value: valueOf(few),
            isMet: median(few.map(({ ms }) => ms)) < pageMsMax,
          },
        ]),
    ...(many.length === 0 ? [] : [{ what: `${what}, of more hits`, value: valueOf(many) }]),
  ]
}

function valueOf(found: readonly Found[]): string {
  const hits = found.map(({ meta }) => meta.total_records)
  const times = found.map(({ ms }) => ms)
  const most = found.some(({ meta }) => meta.total_capped === true) ? ' and more' : ''
  return (
    `${median(times).toFixed(1)} ms, at most ${Math.max(...times).toFixed(1)} ms; ` +
    `${Math.min(...hits).toLocaleString('en-US')} to ${Math.max(...hits).toLocaleString('en-US')}${most} hits`
  )
}
