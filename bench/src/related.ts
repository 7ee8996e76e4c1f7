import { resourcesOf } from './paths.ts'
import type { Pair, Request } from './rates.ts'
import type { Stand } from './stand.ts'

const get = (path: string): Request => ({ method: 'GET', paths: [path] })

/** A list that says of each of 50 persons where they work, beside the list alone. */
export function includePairs({ seeded, ours }: Stand): Pair[] {
  const pair = { atLeast: 1 / 2, beside: 'the list without', other: { of: ours, request: get(resourcesOf(seeded)) } }
  return [
    {
      ...pair,
      what: 'include of a to-one for 50 records',
      ours: { of: ours, request: get(resourcesOf(seeded, 'include=company_id')) },
    },
  ]
}

/** The most links of one record; a quick run has fewer persons than that. */
const manyLinks = 100_000
const fewLinks = 100
/** The server takes so many at once. */
const linksPerRequest = 10_000

type Call = (method: string, path: string, body?: object) => Promise<unknown>
type Listed = { readonly data: readonly { readonly id: string }[] }

/** Pages of the persons of a deal with many, beside one with a few: one and the same request but for the record. */
export async function relatedPairs({ seeded, ours, baseUrl }: Stand, say: (text: string) => void): Promise<Pair[]> {
  const objects = `${baseUrl}/workspaces/${seeded.workspace}/objects`
  const call: Call = async (method, path, body) => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    const response = await fetch(`${objects}${path}`, {
      ...init,
      headers: { ...ours.headers, 'Content-Type': 'application/json' },
    })
    const answer: unknown = await response.json()
    if (!response.ok)
      throw new Error(`${method} ${path} answers ${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
    return answer
  }
  const most = Math.min(manyLinks, Math.floor(seeded.people / 2))
  const [many, few] = [await dealWith(call, most, say), await dealWith(call, fewLinks, say)]
  const page = (id: string, query: string) =>
    get(`/v1/workspaces/${seeded.workspace}/objects/deal/records/${id}/relationships/people?${query}page%5Blimit%5D=50`)
  const pair = (what: string, query = ''): Pair => ({
    what: `${what} of a record with ${most.toLocaleString('en-US')} links`,
    atLeast: 1 / 2,
    beside: `one with ${fewLinks}`,
    other: { of: ours, request: page(few, query) },
    ours: { of: ours, request: page(many, query) },
  })
  return [pair('related records'), pair('related records with what they include', 'include=people.company_id&')]
}

/** A deal of so many persons, made where an earlier run has not left it; its id. */
async function dealWith(call: Call, links: number, say: (text: string) => void): Promise<string> {
  const name = `A deal of ${links}`
  const {
    data: [known],
  } = (await call('GET', `/deal/resources?filter%5Bname%5D=${encodeURIComponent(name)}`)) as Listed
  if (known !== undefined) return known.id
  const { data: persons } = (await call(
    'GET',
    `/person/resources?fields%5Bperson%5D=job_title&page%5Blimit%5D=${links}`,
  )) as Listed
  const {
    data: { id },
  } = (await call('POST', '/deal/records', { data: { type: 'deal', attributes: { name } } })) as {
    readonly data: { readonly id: string }
  }
  for (let start = 0; start < persons.length; start += linksPerRequest) {
    const data = persons.slice(start, start + linksPerRequest).map((person) => ({ type: 'person', id: person.id }))
    await call('POST', `/deal/records/${id}/relationships/people`, { data })
    say(`linking: ${start + data.length} of ${links}`)
  }
  return id
}
