import { personAttributes } from './attributes.ts'
import type { BasicsName } from './options.ts'
import { besideFloor, deepLink } from './asking.ts'
import { resourcesOf, spread } from './paths.ts'
import type { Pair, Request } from './rates.ts'
import type { Stand } from './stand.ts'

const bulkSize = 1000

const person = (companyId: string) => ({ type: 'person', attributes: personAttributes('load', '{n}', companyId) })

export const creating = ({ seeded }: Stand): Request => ({
  method: 'POST',
  paths: [`/v1/workspaces/${seeded.workspace}/objects/person/records`],
  bodies: spread(seeded.companyIds, 997).map((id) => JSON.stringify({ data: person(id) })),
})

/** The promises of speed for what every user does all the time. */
export async function basicsPair(
  name: Exclude<BasicsName, 'fair' | 'ranks' | 'start' | 'stages'>,
  stand: Stand,
): Promise<Pair> {
  const { seeded, ours } = stand
  const records = `/v1/workspaces/${seeded.workspace}/objects/person/records`
  const pageOne: Request = { method: 'GET', paths: [resourcesOf(seeded)] }
  switch (name) {
    case 'get':
      return besideFloor(stand, 'get one', 0.6, {
        method: 'GET',
        paths: spread(seeded.personIds, 4001).map((id) => `${records}/${id}`),
      })
    case 'list':
      return besideFloor(stand, 'list of 50, exact total', 0.6, pageOne)
    case 'create':
      return besideFloor(stand, 'create one', 0.5, creating(stand))
    case 'bulk': {
      const body = JSON.stringify({ data: spread(seeded.companyIds, bulkSize).map(person) })
      return {
        ...besideFloor(stand, 'bulk of 1,000', 0.4, { method: 'POST', paths: [`${records}/bulk`], bodies: [body] }),
        records: bulkSize,
      }
    }
    case 'deep': {
      const deep: Request = { method: 'GET', paths: [await deepLink(stand, '')] }
      // Within 1.5 times of page one: two thirds of its rate.
      return {
        what: 'deep page by link',
        atLeast: 1 / 1.5,
        beside: 'page one',
        other: { of: ours, request: pageOne },
        ours: { of: ours, request: deep },
      }
    }
    default:
      throw new Error(`no measurement ${String(name)}`)
  }
}
