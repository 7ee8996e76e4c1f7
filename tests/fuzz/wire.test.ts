import { connect } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { startApp } from '../harness/app.ts'
import { nextNumber, recordsOf } from '../harness/records.ts'
import { until } from '../harness/until.ts'
import { parseAnswer, type ParsedAnswer } from './connection.ts'

const app = await startApp()
const records = recordsOf(app)
const { hostname, port } = new URL(app.origin)
const admin = `Authorization: Bearer ${app.credentials.cast.tokens.admin}`
const people = '/v1/workspaces/acme/objects/person/records'

type Talk = { readonly bytes: Buffer }

/** It ends a conversation that hangs. */
const patienceMs = 60_000

/** Ends a conversation that the other side would go on with, and whatever it has still to answer. */
const goodbye = (): string => request('GET', '/v1/workspaces', ['X-Request-Id: goodbye', 'Connection: close'])

type Manner = {
  /** Ends its side as soon as it has said all. */
  readonly thenEnds?: boolean
  /** Says goodbye at the first answer. */
  readonly thenLeaves?: boolean
}

/** Says what it is given, each part by itself, and listens until the other side closes. */
function talk(
  parts: readonly (string | Buffer)[],
  { thenEnds = false, thenLeaves = false }: Manner = {},
): Promise<Talk> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true, allowHalfOpen: true })
    let bytes: Buffer = Buffer.alloc(0)
    let stays = thenLeaves
    const finish = () => {
      socket.destroy()
      resolve({ bytes })
    }
    socket.setTimeout(patienceMs, () => {
      socket.destroy()
      reject(new Error(`The other side neither speaks nor closes after ${bytes.toString('latin1')}`))
    })
    socket.on('data', (chunk: Buffer) => {
      bytes = Buffer.concat([bytes, chunk])
      if (!stays || parseAnswer(bytes, false) === undefined) return
      stays = false
      socket.write(goodbye())
    })
    socket.on('error', () => {})
    socket.on('end', finish)
    socket.on('close', finish)
    const say = async () => {
      for (const part of parts) {
        socket.write(typeof part === 'string' ? Buffer.from(part, 'latin1') : part)
        // The other side lives in this process, and hears it before the next.
        if (parts.length > 1) await turn()
      }
      if (thenEnds) socket.end()
    }
    void say()
  })
}

/** Says something, and is gone without listening. */
const sayAndGo = (text: string): Promise<void> =>
  new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    socket.on('error', () => {})
    socket.on('close', () => resolve())
    socket.write(Buffer.from(text, 'latin1'), () => socket.destroy())
  })

/** All answers of a conversation, in their order. */
function answersIn({ bytes }: Talk, methods: readonly string[] = []): ParsedAnswer[] {
  const answers: ParsedAnswer[] = []
  for (let rest = bytes; rest.length > 0;) {
    const answer = parseAnswer(rest, methods[answers.length] === 'HEAD')
    if (answer === undefined) break
    answers.push(answer)
    rest = rest.subarray(rest.length - answer.rest)
  }
  return answers
}

const request = (method: string, target: string, headers: readonly string[] = [], body = ''): string =>
  [
    `${method} ${target} HTTP/1.1`,
    `Host: ${hostname}`,
    admin,
    ...(body === '' ? [] : ['Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`]),
    ...headers,
    '',
    body,
  ].join('\r\n')

const creation = (title: string): string =>
  JSON.stringify({ data: { type: 'person', attributes: { job_title: title } } })

/** Counts the people with a title, over a connection of its own. */
const countOf = async (title: string): Promise<number> =>
  (await records.list('person', { 'filter[job_title]': title }, { as: 'admin' })).body.meta.total_records

const freshTitle = (): string => `smuggled ${nextNumber()}`

/** The number of sockets and timers that this process has for connections, at both of their ends. */
const held = (): number =>
  process.getActiveResourcesInfo().filter((what) => what === 'TCPSocketWrap' || what === 'Timeout').length

describe('a connection', () => {
  test('answers requests that come at once one by one, in their order', async () => {
    const title = freshTitle()
    const asked = [
      ['GET', '/v1/workspaces', ''],
      ['POST', people, creation(title)],
      ['HEAD', '/v1/workspaces', ''],
      ['POST', people, '{'],
      ['GET', '/v1/nothing', ''],
      ['POST', '/actions/workspaces.list', '{}'],
      ['GET', '/trpc/workspaces.list', ''],
      ['DELETE', `${people}/nothing`, ''],
      ['GET', '/v1/workspaces/acme/users?page[limit]=0', ''],
      ['GET', '/v1/workspaces', ''],
    ] as const
    const bytes = asked
      .map(([method, target, body], index) =>
        request(
          method,
          target,
          [`X-Request-Id: r${index}`, ...(index === asked.length - 1 ? ['Connection: close'] : [])],
          body,
        ),
      )
      .join('')
    const answers = answersIn(
      await talk([bytes]),
      asked.map(([method]) => method),
    )
    expect(answers.map(({ status }) => status)).toEqual([200, 201, 200, 400, 404, 200, 200, 404, 400, 200])
    expect(answers.map(({ headers }) => headers['x-request-id'])).toEqual(asked.map((_, index) => `r${index}`))
    expect(await countOf(title)).toBe(1)
  })

  test('takes a request byte by byte', async () => {
    const title = freshTitle()
    const bytes = request('POST', people, ['Connection: close'], creation(title))
    const [answer] = answersIn(await talk([...bytes]))
    expect(answer?.status).toBe(201)
    expect(await countOf(title)).toBe(1)
  })

  test('names the whole URL if it likes, with whatever host', async () => {
    for (const origin of ['http://kontor.example', 'HTTP://kontor.example:80', 'https://user:secret@[::1]:99']) {
      expect(
        answersIn(await talk([request('GET', `${origin}/v1/workspaces`, ['Connection: close'])])).map(
          ({ status }) => status,
        ),
        origin,
      ).toEqual([200])
    }
  })

  test('that ends in the midst of a request leaves nothing behind', async () => {
    const title = freshTitle()
    const whole = request('POST', people, [], creation(title))
    const before = held()
    for (let end = 1; end < whole.length; end += Math.ceil(whole.length / 40))
      await (end % 2 === 0 ? talk([whole.slice(0, end)], { thenEnds: true }) : sayAndGo(whole.slice(0, end)))
    const packed = request('POST', people, ['Content-Encoding: gzip'], creation(title))
    for (const end of [packed.length - 1, packed.length - 20]) await sayAndGo(packed.slice(0, end))
    await until(() => held() <= before)
    expect(await countOf(title)).toBe(0)
  })

  test('that ends before its answer: done or not, and nothing between', async () => {
    const title = freshTitle()
    const before = held()
    await Promise.all(Array.from({ length: 50 }, () => sayAndGo(request('POST', people, [], creation(title)))))
    await until(() => held() <= before)
    const listed = () => records.list('person', { 'filter[job_title]': title, 'page[limit]': 100 }, { as: 'admin' })
    // Some may still be about to be created.
    const found = await until(async () => {
      const { data, meta } = (await listed()).body
      return data.length === meta.total_records && data
    })
    for (const { id } of found)
      expect(
        (await app.api.get(`/workspaces/acme/objects/person/records/${id}/activities`)).body.meta.total_records,
      ).toBe(1)
  })
})

describe('where one request ends and the next begins', () => {
  /** A head that can be read in two ways, and a body in which one of them finds another request. */
  const shapes: Readonly<Record<string, (hidden: string) => string>> = {
    'a length beside chunks': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: 5\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n0\r\n\r\n${hidden}`,
    'chunks beside a length': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: chunked\r\nContent-Length: ` +
      `${hidden.length + 5}\r\n\r\n0\r\n\r\n${hidden}`,
    'two lengths': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: 0\r\nContent-Length: ` +
      `${hidden.length}\r\n\r\n${hidden}`,
    'two lengths in one line': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: 0, ${hidden.length}\r\n\r\n${hidden}`,
    'a length with a sign': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: +0\r\n\r\n${hidden}`,
    'a negative length': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: -1\r\n\r\n${hidden}`,
    'a length in hexadecimal': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: 0x0\r\n\r\n${hidden}`,
    'a length beyond all numbers': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: 99999999999999999999\r\n\r\n${hidden}`,
    'a space before the colon': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n${hidden}`,
    'a folded line': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding:\r\n chunked\r\nContent-Length: ` +
      `5\r\n\r\n0\r\n\r\n${hidden}`,
    'chunks that are not last': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: chunked, ` +
      `identity\r\n\r\n0\r\n\r\n${hidden}`,
    'an unknown encoding': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${hidden}`,
    'a chunk larger than all numbers': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\nFFFFFFFFFFFFFFFF0\r\n\r\n${hidden}`,
    'a chunk with a sign': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\n\r\n${hidden}`,
    'a chunk that is longer than it says': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n${hidden}`,
    'lines that end in LF': (hidden) => `POST ${people} HTTP/1.1\nHost: x\n${admin}\nContent-Length: 0\n\n${hidden}`,
    'lines that end in CR': (hidden) => `POST ${people} HTTP/1.1\rHost: x\r${admin}\r\r${hidden}`,
    'a line without a colon': (hidden) => `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nnonsense\r\n\r\n${hidden}`,
    'a NUL in a name': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent\0-Length: 0\r\n\r\n${hidden}`,
    'a body of a read': (hidden) =>
      `GET /v1/workspaces HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a body of a refusal': (hidden) =>
      `POST /v1/nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${hidden.length}\r\n\r\n${hidden}`,
    'a body without a credential': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ` +
      `${hidden.length}\r\n\r\n${hidden}`,
    'a body of another type': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\n${admin}\r\nContent-Type: text/plain\r\nContent-Length: ` +
      `${hidden.length}\r\n\r\n${hidden}`,
    'a body in chunks of a refusal': (hidden) =>
      `POST ${people} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ` +
      `chunked\r\n\r\n${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`,
  }

  test.for(Object.entries(shapes))('%s: never a request within a request', async ([name, shape]) => {
    const title = freshTitle()
    const said = await talk([shape(request('POST', people, [], creation(title)))], { thenLeaves: true })
    const answers = answersIn(said).filter(({ headers }) => headers['x-request-id'] !== 'goodbye')
    expect(answers.length, `${name}: ${said.bytes.toString('latin1').slice(0, 600)}`).toBeLessThanOrEqual(1)
    for (const { status } of answers) expect(status, name).toBeLessThan(500)
    expect(await countOf(title), name).toBe(0)
  })

  test('trailers are no headers', async () => {
    const title = freshTitle()
    const body = creation(title)
    const trailers = `${admin}\r\nIdempotency-Key: trailing`
    const chunks = `${body.length.toString(16)};a=b;c="d"\r\n${body}\r\n0\r\n${trailers}\r\n\r\n`
    const [answer] = answersIn(
      await talk([
        `POST ${people} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nTransfer-Encoding: ` +
          `chunked\r\nConnection: close\r\nTrailer: Authorization\r\n\r\n${chunks}`,
      ]),
    )
    expect(answer?.status).toBe(401)
    expect(await countOf(title)).toBe(0)
  })
})

describe('what is no HTTP of ours', () => {
  const noise: Readonly<Record<string, string | Buffer>> = {
    'HTTP/0.9': 'GET /v1/workspaces\r\n\r\n',
    'HTTP/2': 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'HTTP/3.7': `GET /v1/workspaces HTTP/3.7\r\nHost: x\r\n${admin}\r\n\r\n`,
    TLS: Buffer.from('16030100a5010000a10303', 'hex'),
    SSH: 'SSH-2.0-OpenSSH_9.9\r\n',
    SMTP: 'EHLO example.com\r\nMAIL FROM:<a@example.com>\r\n',
    'no host': `GET /v1/workspaces HTTP/1.1\r\n${admin}\r\n\r\n`,
    'no path': `GET  HTTP/1.1\r\nHost: x\r\n\r\n`,
    'two spaces': `GET  /v1/workspaces  HTTP/1.1\r\nHost: x\r\n\r\n`,
    'a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\n\r\n',
    'empty lines': '\r\n\r\n\r\n\r\n',
    zeroes: Buffer.alloc(4096),
    noise: Buffer.from(Array.from({ length: 4096 }, (_, index) => (index * 7919) % 256)),
    'a head without an end': `GET /v1/workspaces HTTP/1.1\r\nHost: x\r\n${'X-Pad: y\r\n'.repeat(3000)}`,
  }

  test.for(Object.entries(noise))('%s is refused, or ended, and the next caller is served', async ([name, bytes]) => {
    const answers = answersIn(await talk([bytes], { thenEnds: true }))
    for (const { status } of answers) expect(status, name).toBeGreaterThanOrEqual(400)
    for (const { status } of answers) expect(status, name).toBeLessThanOrEqual(505)
    expect((await app.api.get('/workspaces')).status).toBe(200)
  })

  test('HTTP/1.0 is answered, and its connection closed', async () => {
    const said = await talk([`GET /v1/workspaces HTTP/1.0\r\n${admin}\r\n\r\n`])
    expect(answersIn(said).map(({ status }) => status)).toEqual([200])
  })
})
