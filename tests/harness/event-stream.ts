import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'
import { authorizationOf, encodeQuery } from './api.ts'
import type { Json } from './http.ts'
import type { Caller } from './people.ts'

type Following = {
  readonly as?: Caller
  readonly query?: Record<string, string>
  readonly lastEventId?: string
  /** The surface: a stream of REST by default, or a subscription of tRPC, which accepts no query. */
  readonly over?: 'rest' | 'trpc'
  /** The slug; acme by default. */
  readonly workspace?: string
}

/** Follows the events of a workspace until the test has finished. */
export async function followEvents(
  { baseUrl, origin, credentials }: TestApp,
  { as = 'admin', query = {}, lastEventId, over = 'rest', workspace = 'acme' }: Following = {},
) {
  const stopping = new AbortController()
  onTestFinished(() => stopping.abort())
  const authorization = authorizationOf(as, credentials)
  const url =
    over === 'rest'
      ? `${baseUrl}/workspaces/${workspace}/events/stream?${encodeQuery(query)}`
      : `${origin}/trpc/events.stream?${encodeQuery({ input: JSON.stringify({ workspace }) })}`
  const response = await fetch(url, {
    headers: {
      ...(authorization !== undefined && { Authorization: authorization }),
      ...(lastEventId !== undefined && { 'Last-Event-ID': lastEventId }),
      'Accept-Encoding': 'gzip, br',
    },
    signal: stopping.signal,
  })
  const events: Json[] = []
  const ids: number[] = []
  let text = ''
  const read = async (): Promise<void> => {
    let rest = ''
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
      text += chunk
      rest += chunk
      const blocks = rest.split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block)?.[1]
        const id = /^id: (\d+)$/m.exec(block)?.[1]
        if (id !== undefined) ids.push(Number(id))
        if (data !== undefined) events.push({ ...JSON.parse(data), at: performance.now() })
      }
    }
  }
  return {
    response,
    events,
    ids,
    text: () => text,
    /** Resolves to true when the server ends the stream as it should, to false when it breaks off. */
    ended:
      response.status === 200
        ? read().then(
            () => true,
            () => false,
          )
        : Promise.resolve(true),
    stop: () => stopping.abort(),
  }
}
