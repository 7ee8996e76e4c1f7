import { request, type IncomingMessage } from 'node:http'
import { freePort } from '../harness/free-port.ts'
import { expect } from 'vitest'
import { startServer } from '../harness/server-process.ts'
import { until } from '../harness/until.ts'

type Heard = {
  readonly path: string
  readonly status: number
  readonly code: string | undefined
  readonly retryAfter: string | undefined
  readonly type: string | undefined
}

/** No client waits for so long for a first byte. */
const patienceMs = 30_000

/** No server takes so long to start. */
const startMsMax = 120_000

/** One request on a connection of its own; undefined if the server does not listen yet. */
export const call = (
  port: number,
  path: string,
  headers: Record<string, string>,
): Promise<Heard | 'silence' | undefined> =>
  new Promise((resolve) => {
    const outgoing = request(
      { port, path, agent: false, headers: { Connection: 'close', ...headers } },
      (response: IncomingMessage) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString()))
        response.on('end', () => {
          const { errors, status } =
            response.headers['content-type']?.includes('json') === true ? JSON.parse(text) : { status: undefined }
          resolve({
            path,
            status: response.statusCode ?? 0,
            code: errors?.[0].code ?? status,
            retryAfter: response.headers['retry-after'],
            type: response.headers['content-type'],
          })
        })
      },
    )
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('silence')))
    outgoing.on('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ECONNREFUSED' ? undefined : 'silence'),
    )
    outgoing.end()
  })

const paths = ['/healthz', '/readyz', '/v1/workspaces', '/v1/openapi.json', '/trpc/users.me', '/auth/sign-in']

/**
 * Starts a server for the first time while every kind of path is called without a pause; expects that each call is
 * answered, and how.
 */
export async function expectAnswersWhileStarting(databaseUrl: string): Promise<void> {
  const port = await freePort()
  const heard: Heard[] = []
  const silent: string[] = []
  const started = new AbortController()
  const callers = paths.map(async (path, index) => {
    const headers: Record<string, string> = index % 2 === 0 ? {} : { Accept: 'application/problem+json' }
    await until(
      async () => {
        const answer = await call(port, path, headers)
        if (answer === 'silence') silent.push(path)
        else if (answer !== undefined) heard.push(answer)
        return started.signal.aborted
      },
      { everyMs: 2, withinMs: startMsMax, what: 'a server that has started' },
    )
  })
  const server = await startServer(databaseUrl, { PORT: String(port), KONTOR_DEMO: '1', CORS_ORIGINS: '*' })
  started.abort()
  await Promise.all(callers)
  expect(silent).toEqual([])
  expect(new Set(heard.filter(({ path }) => path === '/healthz').map(({ status }) => status))).toEqual(new Set([200]))
  const early = heard.filter(({ code }) => code === 'starting')
  expect(new Set(early.map(({ path }) => path))).toEqual(new Set(paths.slice(1)))
  for (const { status, retryAfter } of early) expect([status, retryAfter]).toEqual([503, '1'])
  expect(new Set(early.filter(({ path }) => path === '/v1/openapi.json').map(({ type }) => type))).toEqual(
    new Set(['application/problem+json; charset=utf-8']),
  )
  // On a busy machine the server that has just started may have more to do than it can, and says so.
  const failed = heard.filter(({ status, code }) => status >= 500 && code !== 'starting' && code !== 'overloaded')
  expect(failed).toEqual([])
  expect(await server.terminate()).toBe(0)
}
