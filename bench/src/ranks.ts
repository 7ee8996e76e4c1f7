import { awaitIndexes } from './indexes.ts'
import type { Pair } from './rates.ts'
import type { Stand } from './stand.ts'

const tickets = 100_000
const inOneRequest = 1000

/** Their order is that of no alphabet. */
const levels = ['Urgent', 'High', 'Normal', 'Low', 'Someday', 'Never']

/** Each is within so many times of the same page sorted by a text. */
const atLeast = 1 / 1.5

/**
 * Pages of records sorted by a select, beside the same pages sorted by a text with the same values: page one, and one
 * that its link leads to in the middle of them.
 */
export async function rankPairs(stand: Stand, say: (text: string) => void): Promise<Pair[]> {
  const { url, ours, seeded, baseUrl } = stand
  await makeTickets(stand, say)
  const path = (column: string, query = '') =>
    `/v1/workspaces/${seeded.workspace}/objects/c_ticket/resources?sortOrder%5Bcolumn%5D=${column}&` +
    `sortOrder%5Bdir%5D=ASC${query}&page%5Blimit%5D=50`
  await awaitIndexes(url, ours, [{ path: path('level') }, { path: path('kind') }], say)
  const middle = async (column: string): Promise<string> => {
    const address = `${new URL(baseUrl).origin}${path(column, `&page%5Boffset%5D=${tickets / 2 - 50}`)}`
    const { links } = (await (await fetch(address, { headers: ours.headers })).json()) as {
      readonly links: { readonly next: string }
    }
    return links.next.slice(new URL(links.next).origin.length)
  }
  const get = (one: string) => ({ of: ours, request: { method: 'GET' as const, paths: [one] } })
  const pair = (what: string, text: string, select: string): Pair => ({
    what: `${what} by a select, of ${tickets.toLocaleString('en-US')}`,
    atLeast,
    beside: 'by a text',
    other: get(text),
    ours: get(select),
  })
  return [
    pair('page one', path('kind'), path('level')),
    pair('page in the middle', await middle('kind'), await middle('level')),
  ]
}

async function makeTickets({ ours, seeded, baseUrl }: Stand, say: (text: string) => void): Promise<void> {
  const send = async (path: string, body: object): Promise<void> => {
    const response = await fetch(`${baseUrl}/workspaces/${seeded.workspace}/${path}`, {
      method: 'POST',
      headers: { ...ours.headers, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    })
    if (!response.ok) throw new Error(`${path} answers ${response.status}: ${await response.text()}`)
  }
  await send('schemas/objects', {
    name: 'ticket',
    plural: 'tickets',
    properties: {
      title: { type: 'string', xSvcPrimary: true },
      level: { enum: levels },
      kind: { type: 'string' },
    },
  })
  for (let from = 0; from < tickets; from += inOneRequest) {
    const data = Array.from({ length: inOneRequest }, (_, index) => {
      const level = levels[((from + index) * 7919) % levels.length]
      return { type: 'c_ticket', attributes: { title: `Ticket ${from + index}`, level, kind: level } }
    })
    await send('objects/c_ticket/records/bulk', { data })
    say(`${from + inOneRequest} of ${tickets} tickets`)
  }
}
