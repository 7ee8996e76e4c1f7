import { personAttributes } from './attributes.ts'
import type { LoadSpec } from './load.ts'
import type { Measurement } from './options.ts'
import type { Seeded } from './seed.ts'

/** Where to send requests, and with which credentials. */
export type Target = { readonly port: number; readonly headers: Readonly<Record<string, string>> }

type Request = Pick<LoadSpec, 'method' | 'paths' | 'bodies'>

/** What is measured by requests: the first is the measure, and the second must reach `atLeast` of its rate. */
export type Pair = {
  readonly what: string
  readonly atLeast: number
  readonly records: number
  readonly floor: Request
  readonly ours: Request
  readonly against: 'floor' | 'ours'
}

export type RateMeasurement = Exclude<Measurement, 'start' | 'stages'>

const bulkSize = 1000

const person = (companyId: string) => ({ type: 'person', attributes: personAttributes('load', '{n}', companyId) })

const same = (what: string, atLeast: number, request: Request, records = 1): Pair => ({
  what,
  atLeast,
  records,
  floor: request,
  ours: request,
  against: 'floor',
})

export function pairOf(name: RateMeasurement, seeded: Seeded, deepPage: string): Pair {
  const objects = `/v1/workspaces/${seeded.workspace}/objects/person`
  const pageOne = `${objects}/resources?page%5Blimit%5D=50`
  switch (name) {
    case 'get':
      return same('get one', 0.6, { method: 'GET', paths: spread(seeded.personIds, 4001).map((id) => `${objects}/records/${id}`) })
    case 'list':
      return same('list of 50, exact total', 0.6, { method: 'GET', paths: [pageOne] })
    case 'create':
      return same('create one', 0.5, {
        method: 'POST',
        paths: [`${objects}/records`],
        bodies: spread(seeded.companyIds, 997).map((id) => JSON.stringify({ data: person(id) })),
      })
    case 'bulk':
      return same(
        'bulk of 1,000',
        0.4,
        { method: 'POST', paths: [`${objects}/records/bulk`], bodies: [JSON.stringify({ data: spread(seeded.companyIds, bulkSize).map(person) })] },
        bulkSize,
      )
    case 'deep':
      return deepPair(pageOne, deepPage)
    default:
      throw new Error(`no measurement ${String(name)}`)
  }
}

/** Within 1.5 times of page one: two thirds of its rate. */
const deepPair = (pageOne: string, deepPage: string): Pair => ({
  what: 'deep page by link, beside page one',
  atLeast: 1 / 1.5,
  records: 1,
  floor: { method: 'GET', paths: [pageOne] },
  ours: { method: 'GET', paths: [deepPage] },
  against: 'ours',
})

/** Ids from all over the table. */
const spread = (ids: readonly string[], length: number): string[] => Array.from({ length }, (_, index) => ids[(index * 7919) % ids.length] as string)

/** The link that page after page leads to the middle of the list. */
export async function findDeepPage(ours: Target, seeded: Seeded, baseUrl: string): Promise<string> {
  let url = `${baseUrl}/workspaces/${seeded.workspace}/objects/person/resources?page%5Blimit%5D=50`
  const pages = Math.floor(seeded.personIds.length / 100)
  for (let page = 1; page < pages; page++) {
    const response = await fetch(url, { headers: ours.headers })
    const { links } = (await response.json()) as { readonly links: { readonly next: string | null } }
    if (links.next === null) break
    url = links.next
  }
  return url.slice(new URL(url).origin.length)
}
