import { setTimeout as sleep } from 'node:timers/promises'
import { openConfigured, readConfig } from '@kontor/server/admin'
import type { Contender } from './rates.ts'

/** A list, by its path and, where it has one, the body of its filter. */
export type List = { readonly path: string; readonly body?: object }

const pauseMs = 1000
/** Ten million persons take 20 to 60 minutes for each of the indexes. */
const patienceMs = 4 * 3_600_000

/**
 * Asks for lists, and waits until every index that the server wants to have for them is built; small objects have none.
 */
export async function awaitIndexes(
  url: string,
  { port, headers }: Pick<Contender, 'port' | 'headers'>,
  lists: readonly List[],
  say: (text: string) => void,
): Promise<void> {
  for (const { path, body } of lists) {
    const withoutTotal = body === undefined ? 'page%5Btotal%5D=none' : ''
    const address = `http://127.0.0.1:${port}${path}${path.includes('?') ? '&' : '?'}${withoutTotal}`
    const init =
      body === undefined ? {} : { method: 'POST', body: JSON.stringify({ ...body, page: { total: 'none' } }) }
    const response = await fetch(address, { ...init, headers: { ...headers, 'Content-Type': 'application/json' } })
    const text = await response.text()
    // Without its index a list may well run into the timeout: that, too, asks for it.
    if (!response.ok && response.status !== 503) throw new Error(`${address} answers ${response.status}: ${text}`)
  }
  // A search has its index built behind its answer.
  await sleep(pauseMs)
  const started = performance.now()
  let before = ''
  for (let waiting = await building(url); waiting !== ''; waiting = await building(url)) {
    if (performance.now() - started > patienceMs) throw new Error(`Not built in time: ${waiting}`)
    if (waiting !== before) say(`waiting for the indexes ${waiting}`)
    before = waiting
    await sleep(pauseMs)
  }
}

async function building(url: string): Promise<string> {
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  try {
    const rows = await database.reader.query<{ object: string; field: string; kind: string }>(({ knex }) =>
      knex('field_index_state')
        .select('object', 'field', 'kind')
        .where('state', 'building')
        .orderBy(['requested_at', 'object', 'field', 'kind']),
    )
    const searches = await database.reader.query<{ job_key: string }>(({ knex }) =>
      knex('job').select('job_key').where('kind', 'records.search_index').whereNull('ended_at'),
    )
    return [
      ...rows.map(({ object, field, kind }) => `${object}.${field} (${kind})`),
      ...searches.map(({ job_key: object }) => `${object} (search)`),
    ].join(', ')
  } finally {
    await database.close()
  }
}
