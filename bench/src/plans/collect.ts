import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { openConfigured, readConfig } from '@kontor/server/admin'
import { appOver } from '../in-process.ts'
import { explainerOf, type ExplainOptions } from './explain.ts'
import { listening, type Statement } from './listening.ts'
import type { ListQuery } from './queries.ts'
import { readsMore, readsOf, type Reads } from './reads.ts'

/** The plan of one statement of a list, and the question that it is for. */
export type ExplainedStatement = {
  readonly pages: readonly string[]
  readonly text: string
  readonly plan: readonly string[]
  readonly reads: Reads
}

export type ExplainedQuery = { readonly query: ListQuery; readonly statements: readonly ExplainedStatement[] }

type Page = { readonly links: { readonly next: string | null; readonly prev: string | null } }

/** Tables that grow with the records; what else a request reads is of callers and schemas. */
const large = new RegExp(
  String.raw`\b(record|field_text|field_number|field_gram|gram_index|search_document|search_index|unique_key|link|` +
    String.raw`activity|comment|record_count|record_count_delta)\b`,
)

/** Asks for every list over HTTP, page one and its neighbours and one by offset, and has every statement explained. */
export async function collectPlans(
  url: string,
  authorization: string,
  queries: readonly ListQuery[],
  options?: ExplainOptions,
): Promise<ExplainedQuery[]> {
  let heard: Statement[] = []
  const database = openConfigured(readConfig({ DATABASE_URL: url }))
  const explainer = await explainerOf(url, options)
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  server.on(
    'request',
    appOver(
      listening(database, (statement) => void heard.push(statement)),
      origin,
    ).listener,
  )
  const ask = async (address: string, { body }: ListQuery): Promise<{ page: Page; statements: Statement[] }> => {
    heard = []
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
    const response = await fetch(address, {
      ...init,
      headers: { Authorization: authorization, 'Content-Type': 'application/json' },
    })
    const answer = (await response.json()) as Page
    if (!response.ok) throw new Error(`${address} answers ${response.status}: ${JSON.stringify(answer).slice(0, 500)}`)
    return { page: answer, statements: heard.filter(({ text }) => large.test(text)) }
  }
  try {
    const explained: ExplainedQuery[] = []
    for (const query of queries) {
      const found = new Map<string, { pages: string[]; statement: Statement }>()
      const read = async (title: string, address: string): Promise<Page> => {
        const { page, statements } = await ask(address, query)
        for (const statement of statements) {
          const known = found.get(statement.text) ?? { pages: [], statement }
          if (!known.pages.includes(title)) known.pages.push(title)
          found.set(statement.text, known)
        }
        return page
      }
      const address = `${origin}${query.path}`
      const { links } = await read('first page', address)
      await read('by offset', `${address}${address.includes('?') ? '&' : '?'}page[offset]=100`)
      const next = links.next === null ? undefined : await read('next page', links.next)
      if (typeof next?.links.prev === 'string') await read('previous page', next.links.prev)
      const statements: ExplainedStatement[] = []
      for (const { pages, statement } of found.values()) {
        const plan = await explainer.explain(statement)
        statements.push({ pages, text: statement.text, plan, reads: readsOf(statement, plan) })
      }
      explained.push({ query, statements })
    }
    return explained
  } finally {
    server.closeAllConnections()
    server.close()
    await explainer.close()
    await database.close()
  }
}

/**
 * Returns whether a statement reads more than its list means to. A page that goes on from another begins there and not
 * at the beginning; a count up to a limit, to choose among indexes, is bounded by it.
 */
export function isTooMuch({ page, total }: ListQuery, { text, reads, pages }: ExplainedStatement): boolean {
  if (/^select count\(|as .total.$/i.test(text)) return readsMore(reads, /\blimit\b/i.test(text) ? 'order' : total)
  const goesOn = pages.every((one) => one === 'next page' || one === 'previous page')
  return readsMore(reads, goesOn && page === 'order' ? 'found' : page)
}
