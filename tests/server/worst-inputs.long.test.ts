import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { Worker } from 'node:worker_threads'
import { expect, onTestFinished, test } from 'vitest'
import { apiOf } from '../harness/api.ts'
import { startApp } from '../harness/app.ts'
import { httpClient, type Json } from '../harness/http.ts'
import { say } from '../harness/long-run.ts'
import type { Lateness } from '../harness/programs/loop-watch.ts'
import type { Probe, Probed } from '../harness/programs/probe.ts'
import { scratchFolder } from '../harness/scratch.ts'
import { startServer } from '../harness/server-process.ts'
import { rounds } from '../harness/size.ts'
import { unknownId } from '../harness/records.ts'
import { chain } from '../harness/workflows.ts'
import { htmlStep, namedBody, namingStep } from './worst-steps.ts'

// The promise of the operation guide: whatever outsiders and members send, others are served.

const seconds = rounds(120, 120)
const p99MaxMs = 100
/** Requests that wait for the database: five for each connection are some milliseconds of its work. */
const waitingMax = 50
const heapMb = 512

const loopWatch = new URL('../harness/programs/loop-watch.ts', import.meta.url).href

const key = 'a key of at least thirty-two characters'
const app = await startApp({ encryptionKeys: [key] })
/** Programs have a workspace of their own: what waits there waits for what the same workspace has sent. */
const programs = await app.addWorkspace('programs')

async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** Almost the most that a step may leave. */
const largeText = JSON.stringify('x'.repeat(990_000))

/** Services that respond late and at length, and a language model that says what a pattern takes for ever for. */
async function outsiders() {
  const slow = await listen((request, response) => {
    request.resume()
    setTimeout(() => response.end('{}'), 5000)
  })
  const large = await listen((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(largeText)
  })
  const content = JSON.stringify({ code: `${'a'.repeat(64)}b` })
  const model = await listen((request, response) => {
    request.resume()
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ choices: [{ message: { content } }] }))
  })
  return { slow, large, model }
}

/** A server with little memory, and what is sent to it. */
async function startSmall() {
  const { slow, large, model } = await outsiders()
  const watchFile = join(await scratchFolder(), 'lateness.json')
  const server = await startServer(app.databaseUrl, {
    NODE_OPTIONS: `--max-old-space-size=${heapMb} --import=${loopWatch}`,
    LOOP_WATCH_FILE: watchFile,
    LOG_LEVEL: 'error',
    ENCRYPTION_KEYS: key,
    WEBHOOK_ALLOWED_HOSTS: '127.0.0.1',
    AI_BASE_URL: `${model}/v1`,
    AI_MODEL: 'small',
  })
  const http = httpClient(Infinity)
  onTestFinished(http.close)
  return {
    ...server,
    slow,
    large,
    lateness: (): Lateness => JSON.parse(readFileSync(watchFile, 'utf8')),
    http,
    origin: new URL(server.baseUrl).origin,
    api: apiOf(http, server.baseUrl, app.credentials),
  }
}

type Running = Awaited<ReturnType<typeof startSmall>>

const inbound = { plugin_id: 'on:svc:automation-webhook' }

/** The address of a workflow with blocks one after another. */
async function workflow({ api }: Running, ...blocks: readonly Json[]): Promise<string> {
  const keyed = blocks.map((block, index) => ({ key: `block${index}`, ...block }))
  const body = { name: 'Worst', enabled: true, ...chain(inbound, ...keyed) }
  const created = await api.post('/workspaces/programs/workflows', { as: programs, body })
  expect([created.status, created.body.errors]).toEqual([201, undefined])
  return `/webhooks/workflows/programs/${created.body.data.id}`
}

const calendar = (...events: readonly string[]): string =>
  ['BEGIN:VCALENDAR', 'VERSION:2.0', 'PRODID:-//T//EN', ...events, 'END:VCALENDAR'].join('\r\n')
const event = (...lines: readonly string[]): string => ['BEGIN:VEVENT', ...lines, 'END:VEVENT'].join('\r\n')

const mail = (headers: readonly string[], body: string): Buffer =>
  Buffer.from(['From: a@b.example', 'Subject: Worst', ...headers, '', body].join('\r\n'))

/** An input that has stopped a server, and how many of it are under way at once. */
type WorstInput = {
  readonly title: string
  readonly atOnce: number
  readonly send: () => Promise<{ readonly status: number }>
}

/** All worst inputs that are known; a fault that is found gets a line here. */
async function worstInputs(running: Running): Promise<WorstInput[]> {
  const { api, http, origin, slow, large } = running
  const year = new Date().getUTCFullYear()
  const importing = (ics: string) => {
    const body = JSON.stringify({ ics })
    return () => api.post('/workspaces/acme/meetings/import', { as: 'member', body, query: { dry_run: true } })
  }
  const start = `DTSTART:${year}0106T090000Z`
  const { url } = (await api.get('/workspaces/acme/emails/inbound')).body.data.attributes
  const mailing = (body: Buffer) => () =>
    http.send({
      method: 'POST',
      url: url.replace(/^https?:\/\/[^/]+/, origin),
      headers: { 'Content-Type': 'message/rfc822' },
      body,
    })
  const people = JSON.stringify({
    data: Array.from({ length: 10_000 }, (_, index) => ({
      type: 'person',
      attributes: { name: { first_name: `A${index}`, last_name: 'B' }, job_title: `Title ${index}` },
    })),
  })
  const sending =
    (body: Json) =>
    async (...blocks: readonly Json[]) => {
      const address = await workflow(running, ...blocks)
      return async () => {
        await sleep(250)
        return api.post(address, { as: 'anonymous', body })
      }
    }
  const posting = sending({})
  const program = (body: string) =>
    posting({ plugin_id: 'code:execute', input: { code: `export const handler = async () => { ${body} }` } })
  const pattern = { type: 'object', properties: { code: { type: 'string', pattern: '^(a+)+$' } } }
  const report = ['MIME-Version: 1.0', 'Content-Type: multipart/report; report-type=delivery-status; boundary="b"']
  const quoted = ['Content-Type: text/plain', 'Content-Transfer-Encoding: quoted-printable']
  return [
    {
      title: 'a rule that never finds a day',
      atOnce: 2,
      send: importing(calendar(event('UID:a', start, 'RRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30'))),
    },
    {
      title: 'a calendar of 9,900 events',
      atOnce: 1,
      send: importing(calendar(...Array.from({ length: 9900 }, (_, index) => event(`UID:e${index}`, start)))),
    },
    {
      title: 'a report of many @',
      atOnce: 2,
      send: mailing(
        mail(
          report,
          `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n` +
            `Final-Recipient: rfc822; ${'@'.repeat(62 * 1024)}\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b--`,
        ),
      ),
    },
    { title: 'an e-mail to many', atOnce: 2, send: mailing(mail([`To: ${'a,'.repeat(512 * 1024)}`], 'Yes.')) },
    { title: '15 MB of quoted-printable', atOnce: 2, send: mailing(mail(quoted, '=41'.repeat(5_000_000))) },
    {
      title: 'a body of 10,000 records',
      atOnce: 1,
      send: () =>
        api.post('/workspaces/acme/objects/person/records/bulk', {
          as: 'member',
          body: people,
          query: { dry_run: true },
        }),
    },
    { title: 'a program without an end', atOnce: 1, send: await program('for (;;);') },
    {
      title: 'a program that takes memory',
      atOnce: 1,
      send: await program('const a = []; for (;;) a.push("x".repeat(1e6) + a.length)'),
    },
    {
      title: 'a program that waits',
      atOnce: 4,
      send: await program(`return (await fetch('${slow}', { method: 'POST', body: '{}' })).status`),
    },
    {
      title: 'a pattern that takes for ever',
      atOnce: 1,
      send: await posting({ plugin_id: 'ai:generate', input: { prompt: 'Code?', output_schema: pattern } }),
    },
    {
      title: 'runs of 40 outbound calls, each with 0.99 MB',
      atOnce: 4,
      send: await posting(
        ...Array.from({ length: 40 }, () => ({ plugin_id: 'webhook:send:outbound', input: { url: large, body: {} } })),
      ),
    },
    {
      title: 'conditions that name a large body very often',
      atOnce: 1,
      send: await sending(namedBody)(namingStep),
    },
    {
      title: 'an e-mail of much HTML',
      atOnce: 1,
      send: await posting(htmlStep),
    },
    ...withoutPlace(running, await workflow(running, { plugin_id: 'code:execute', input: { code: idle } })),
  ]
}

const idle = 'export const handler = () => null'

/** Inputs of those who have no credential, or one that asks for all there is. */
function withoutPlace({ baseUrl, http, origin }: Running, address: string): WorstInput[] {
  const bomb = gzipSync(largeText)
  const { hostname, port } = new URL(origin)
  let misses = 0
  return [
    {
      title: 'gzip to addresses that there are not',
      atOnce: 4,
      send: () =>
        http.send({
          method: 'POST',
          url: `${baseUrl}/webhooks/workflows/other${misses++ % 2 === 0 ? '' : misses}/${unknownId}`,
          headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
          body: bomb,
        }),
    },
    {
      title: 'connections that send a byte a second',
      atOnce: 1100,
      send: () => trickle(hostname, port, address),
    },
    {
      title: 'streams of one credential',
      atOnce: 300,
      send: () => follow(`${baseUrl}/workspaces/acme/events/stream`),
    },
  ]
}

/** Sends a body without a credential, a byte a second; resolves with the status that this ends with. */
function trickle(host: string, port: string, address: string): Promise<{ status: number }> {
  const socket = connect(Number(port), host, () =>
    socket.write(
      `POST /v1${address} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n`,
    ),
  )
  const dripping = setInterval(() => socket.write(' '), 1000)
  return new Promise((resolve) => {
    let status = 0
    const end = () => {
      clearInterval(dripping)
      socket.destroy()
      // As a client that is refused, it comes again a little later.
      setTimeout(resolve, 1000, { status })
    }
    socket.on('data', (chunk) => (status = Number(/^HTTP\/1.1 (\d+)/.exec(chunk.toString())?.[1] ?? status)))
    socket.on('error', () => undefined).on('close', end)
    socket.on('end', end)
  })
}

const followedMs = 10_000

/** Opens a stream and holds it for a while. */
async function follow(url: string): Promise<{ status: number }> {
  const authorization = `Bearer ${app.credentials.cast.tokens.viewer}`
  const end = AbortSignal.timeout(followedMs)
  const { status, body } = await fetch(url, { headers: { authorization }, signal: end })
  if (status === 200)
    await new Promise<void>((resolve) => end.addEventListener('abort', () => resolve(), { once: true }))
  else await sleep(1000)
  await body?.cancel().catch(() => undefined)
  return { status }
}

/** Sends an input again and again; counts the responses by status. */
async function repeat({ title, atOnce, send }: WorstInput, signal: AbortSignal): Promise<string> {
  const counts: Record<string, number> = {}
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (!signal.aborted) {
        const status = await send().then(
          (answer) => answer.status,
          (error: unknown) => String(error),
        )
        counts[status] = (counts[status] ?? 0) + 1
        // A client that is told to come again does so later.
        if (status === 503) await sleep(200)
      }
    }),
  )
  return `${title}: ${JSON.stringify(counts)}`
}

/** Measures how long requests of others take, beside what the test does. */
function watch(probes: readonly Probe[]): { readonly taken: Probed[]; readonly end: () => Promise<unknown> } {
  const taken: Probed[] = []
  const worker = new Worker(new URL('../harness/programs/probe.ts', import.meta.url), { workerData: probes })
  worker.on('message', (one: Probed) => taken.push(one))
  return { taken, end: () => worker.terminate() }
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Infinity

/** Requests that wait for a connection to Postgres, or for the writer of SQLite. */
const waitingIn = (metrics: string): number =>
  Number(/^kontor_database_(?:connections|writer)_waiting(?:\{.*\})? (\S+)/m.exec(metrics)?.[1])

/** The counts since an earlier moment. */
function since(before: Lateness, now: Lateness): Lateness {
  const difference = (name: keyof Lateness) => now[name].map((count, ms) => (count ?? 0) - (before[name][ms] ?? 0))
  return { computing: difference('computing'), passing: difference('passing') }
}

/** The wait that a share of what might have arrived would have had at most. */
function waitOf(counts: readonly number[], share: number): number {
  let left = counts.reduce((sum, one) => sum + one, 0) * share
  return counts.findIndex((one) => (left -= one) <= 0)
}

test('with every worst input at once, others are served in time', { timeout: (seconds + 300) * 1000 }, async () => {
  const running = await startSmall()
  const { api, http, origin, baseUrl } = running
  await api.post('/workspaces/other/objects/company/records', {
    as: 'stranger',
    body: { data: { type: 'company', attributes: { name: 'Other' } } },
  })
  const inputs = await worstInputs(running)
  const probes = watch([
    { url: `${origin}/healthz`, headers: {} },
    {
      url: `${baseUrl}/workspaces/other/objects/company/resources?page[limit]=1`,
      headers: { authorization: `Bearer ${app.credentials.cast.tokens.stranger}` },
    },
  ])
  const started = running.lateness()
  const heaps: number[] = []
  const waiting: number[] = []
  const ended = AbortSignal.timeout(seconds * 1000)
  const reports = inputs.map((input) => repeat(input, ended))
  while (!ended.aborted) {
    await sleep(500)
    const { body } = await http.send({ method: 'GET', url: `${origin}/metrics` })
    heaps.push(Number(/^nodejs_heap_size_used_bytes (\S+)/m.exec(body)?.[1]) / 2 ** 20)
    waiting.push(waitingIn(body))
    say(/^kontor_pool_.*$/gm[Symbol.match](body)?.join(' ') ?? '')
  }
  await probes.end()
  for (const report of await Promise.all(reports)) say(report)
  // Not judged: clients wait for a processor too, which the pool, the database and other programs keep busy.
  for (const [url, some] of Map.groupBy(probes.taken, (one) => one.url)) {
    const times = some.map(({ ms }) => ms).toSorted((a, b) => a - b)
    const [median, p99, longest] = [0.5, 0.99, 1].map((share) => Math.round(quantile(times, share)))
    say(`${url}: ${times.length} requests, median ${median} ms, p99 ${p99} ms, longest ${longest} ms`)
  }
  const { computing, passing } = since(started, running.lateness())
  const waits = (counts: readonly number[]) => [0.5, 0.99, 1].map((share) => waitOf(counts, share)).join(', ')
  say('wait for the event loop in ms: median, p99, longest')
  say(`by its own computing ${waits(computing)}; as time passed ${waits(passing)}`)
  say(`requests that wait for the database: at most ${Math.max(...waiting)}`)
  say(`heap: at most ${Math.round(Math.max(...heaps))} MiB of ${heapMb}`)
  expect(probes.taken.filter(({ status }) => status !== 200)).toEqual([])
  expect(waitOf(computing, 0.99)).toBeLessThan(p99MaxMs)
  expect(Math.max(...heaps)).toBeLessThan(heapMb)
  expect(running.output()).not.toMatch(/"level":60/)
  expect(Math.max(...waiting)).toBeLessThan(waitingMax)
})
