import { besideFloor } from './asking.ts'
import { orders } from './depth.ts'
import type { Fact } from './facts.ts'
import { floorUser } from './floor-store.ts'
import type { List } from './indexes.ts'
import { resourcesOf } from './paths.ts'
import { median, type Contender, type Pair } from './rates.ts'
import type { Sharing } from './sharing.ts'
import type { Stand } from './stand.ts'

/** An exact total of a filter takes no longer than this, on Postgres. */
const totalMsMax = 200

/** Half of the persons, by their score. */
const half = 'filter%5Bscore%5D%5BLess%20than%5D=5000'

/** The stand, as the member meets it. */
export const standOf = (stand: Stand, { authorization }: Sharing): Stand => ({
  ...stand,
  authorization,
  ours: { ...stand.ours, headers: { Authorization: authorization } },
})

/** Lists whose indexes are built before anything is measured. */
export const accessLists = ({ seeded }: Stand): List[] =>
  [orders['by a custom number'], half].map((query) => ({ path: resourcesOf(seeded, query) }))

/** Pages of what a member may see where most is not theirs, each with its exact total. */
export const visiblePairs = (stand: Stand, floor: Contender, { userId }: Sharing): Pair[] =>
  Object.entries(orders).map(([order, query]) =>
    besideFloor({ ...floor, headers: { [floorUser]: userId } }, stand, {
      what: `list of 50 under access ${order}, exact total`,
      atLeast: 0.5,
      request: { method: 'GET', paths: [resourcesOf(stand.seeded, query)] },
    }),
  )

const times = 9

/** Measures an exact total of a filter that half of the persons meet, as far as the member may see them. */
export async function measureTotal({ seeded, ours }: Stand, isPromised: boolean): Promise<Fact[]> {
  const address = `http://127.0.0.1:${ours.port}${resourcesOf(seeded, half)}`
  const took: number[] = []
  let total = 0
  for (let time = 0; time <= times; time++) {
    const started = performance.now()
    const response = await fetch(address, { headers: ours.headers })
    const body = (await response.json()) as { readonly meta?: { readonly total_records: number } }
    if (body.meta === undefined) throw new Error(`${address} answers ${response.status}`)
    total = body.meta.total_records
    // The first has its statements prepared.
    if (time > 0) took.push(performance.now() - started)
  }
  const typical = median(took)
  const value =
    `${typical.toFixed(0)} ms, at most ${Math.max(...took).toFixed(0)} ms; ${total.toLocaleString('en-US')} ` +
    'records'
  return [
    isPromised
      ? { what: `exact filtered total under access < ${totalMsMax} ms`, value, isMet: typical < totalMsMax }
      : { what: 'exact filtered total under access', value },
  ]
}
