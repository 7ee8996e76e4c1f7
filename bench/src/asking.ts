import { resourcesOf } from './paths.ts'
import type { Contender, Pair, Request } from './rates.ts'
import type { Stand } from './stand.ts'

/** The same request to the floor and to us. */
export const besideFloor = (
  floor: Contender,
  { ours }: Stand,
  { what, atLeast, request }: Pick<Pair, 'what'> & { readonly atLeast: number; readonly request: Request },
): Pair => ({
  what,
  atLeast,
  beside: 'the floor',
  // Some requests take the time of a round: as many at a time keep both cores busy.
  connections: 4,
  other: { of: floor, request },
  ours: { of: ours, request },
})

/** A page in the middle of ten million records may take longer than a statement may until it is in memory. */
const attemptsMax = 6

/** The link to the page that begins in the middle of a list, as its `next` link gives it. */
export async function deepLink({ seeded, ours, baseUrl }: Stand, query: string): Promise<string> {
  const offset = seeded.people / 2 - 50
  const path = `${resourcesOf(seeded, query)}&page%5Boffset%5D=${offset}`
  for (let attempt = 1; ; attempt++) {
    const response = await fetch(`${new URL(baseUrl).origin}${path}`, { headers: ours.headers })
    const { links } = (await response.json()) as { readonly links?: { readonly next: string | null } }
    if (typeof links?.next === 'string') return links.next.slice(new URL(links.next).origin.length)
    if (response.status !== 503 || attempt === attemptsMax)
      throw new Error(`${path} answers ${response.status} and leads nowhere`)
  }
}
