import { request, type IncomingMessage } from 'node:http'
import { encodeQuery, authorizationOf, type QueryText } from './api.ts'
import type { TestApp } from './app.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'

type OpenRequest = { readonly as?: Caller; readonly query?: QueryText; readonly method?: string; readonly body?: Json }

/** An answer whose body has not been read: it comes as fast as its holder reads. On a connection of its own. */
export const openAnswer = (
  { baseUrl, credentials }: Pick<TestApp, 'baseUrl' | 'credentials'>,
  path: string,
  { as = 'adminKey', query, method = 'GET', body }: OpenRequest = {},
): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { Authorization: authorizationOf(as, credentials) ?? '', 'Content-Type': 'application/json' }
    const outgoing = request(`${baseUrl}${path}?${encodeQuery(query)}`, { agent: false, method, headers })
    outgoing.once('response', (answer) => resolve(answer.pause()))
    outgoing.once('error', reject)
    outgoing.end(body === undefined ? undefined : JSON.stringify(body))
  })

/** The rest of an answer as text; rejects where it breaks off. */
export async function restOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of answer) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}
