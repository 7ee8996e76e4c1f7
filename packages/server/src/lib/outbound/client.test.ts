import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { createServer, type RequestListener } from 'node:http'
import { afterEach, expect, test, vi } from 'vitest'
import { allowedTargets, isAllowedTarget, mayConnect } from './addresses.ts'
import { OutboundClient } from './client.ts'
import { bodyBytesMax } from './exchange.ts'
import type { OutboundFailure } from './failure.ts'
import type { Resolve } from './resolve.ts'

const servers: Server[] = []
const sockets = new Set<Socket>()

afterEach(() => {
  vi.restoreAllMocks()
  for (const socket of sockets) socket.destroy()
  for (const server of servers.splice(0)) server.close()
})

async function listening(server: Server, host = '127.0.0.1'): Promise<number> {
  servers.push(server)
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, host, resolve))
  return (server.address() as AddressInfo).port
}

const receiver = (listener: RequestListener, host?: string) => listening(createServer(listener), host)
const raw = (onConnection: (socket: Socket) => void) =>
  listening(createTcpServer((socket) => onConnection(socket.on('error', () => undefined))))

type Options = { readonly open?: string[]; readonly timeoutMs?: number; readonly resolve?: Resolve }

const client = ({ open = ['127.0.0.0/8'], ...options }: Options = {}) =>
  new OutboundClient({ allowed: allowedTargets(open), ...options })

const opened = (open: string, url: string) => client({ open: [open] }).faultOf(url) === undefined
const resolvingTo =
  (...addresses: string[]): Resolve =>
  async () =>
    addresses
const unresolved: Resolve = () => Promise.reject(new Error('queryA ESERVFAIL receiver.test'))
const unanswered: Resolve = () => new Promise(() => undefined)

const post = (url: string, headers: Record<string, string> = {}) => ({ method: 'POST', url, headers, body: '{}' })

const failure = (reason: string) => expect.objectContaining({ name: 'OutboundFailure', reason })

test.each([
  'http://127.0.0.1/',
  'http://127.1/',
  'http://localhost/',
  'http://app.localhost:3000/',
  'http://2130706433/',
  'http://0x7f.0.0.1/',
  'http://0/',
  'http://10.1.2.3/',
  'http://172.16.0.1/',
  'http://192.168.1.1/',
  'http://169.254.169.254/latest/meta-data',
  'http://100.64.0.1/',
  'http://198.18.0.1/',
  'http://192.0.0.8/',
  'http://224.0.0.1/',
  'http://255.255.255.255/',
  'http://[::]/',
  'http://[::1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::7f00:1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:7f00:1::]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[fd00::1]/',
  'http://[ff02::1]/',
])('refuses the address of %s', async (url) => {
  expect(client({ open: [] }).faultOf(url)?.reason).toBe('refused_address')
  await expect(client({ open: [] }).send(post(url))).rejects.toEqual(failure('refused_address'))
})

test.each(['ftp://example.com/', 'file:///etc/passwd', 'example.com', '', 'https://ann:secret@example.com/'])(
  'refuses the URL %s',
  (url) => expect(client().faultOf(url)?.reason).toBe('invalid_request'),
)

test.each(['https://example.com/hook?a=b', 'http://8.8.8.8:8080/', 'https://[2606:4700::1111]/'])('takes %s', (url) =>
  expect(client({ open: [] }).faultOf(url)).toBeUndefined(),
)

test('opens what the operator names, by host, by host and port, or by network', () => {
  expect(opened('127.0.0.1', 'http://127.0.0.1:3000/')).toBe(true)
  expect(opened('127.0.0.1:3000', 'http://127.0.0.1:3000/')).toBe(true)
  expect(opened('127.0.0.1:80', 'http://127.0.0.1/')).toBe(true)
  expect(opened('127.0.0.1:3000', 'http://127.0.0.1:3001/')).toBe(false)
  expect(opened('10.0.0.0/8', 'http://10.255.0.1/')).toBe(true)
  expect(opened('10.0.0.0/8', 'http://11.0.0.1/')).toBe(true)
  expect(opened('10.0.0.0/8', 'http://192.168.0.1/')).toBe(false)
  expect(opened('[::1]:3000', 'http://[::1]:3000/')).toBe(true)
  expect(opened('::1', 'http://[::1]/')).toBe(true)
  expect(opened('fd00::/8', 'http://[fd12::1]/')).toBe(true)
  expect(mayConnect(allowedTargets(['10.0.0.0/8']), '::ffff:10.0.0.1')).toBe(true)
})

test.each(['receiver', 'receiver.internal:8080', '10.0.0.0/8', '::1', '[::1]:80', '127.0.0.1'])(
  'accepts the entry %s of the allow-list',
  (entry) => expect(isAllowedTarget(entry)).toBe(true),
)

test.each(['', 'http://a', 'a/b', '10.0.0.0/99', 'a b', 'a:70000', 'a@b', 'a:b'])(
  'refuses the entry %j of the allow-list',
  (entry) => expect(isAllowedTarget(entry)).toBe(false),
)

test('sends a request and answers with what came back, whatever the status', async () => {
  const port = await receiver((request, response) => {
    const seen = [request.method, request.url, request.headers['x-own'], request.headers['user-agent']]
    response.writeHead(503, { 'x-back': 'yes', 'set-cookie': 'session=1' }).end(`${seen.join(' ')}\0`)
  })
  const answer = await client().send(post(`http://127.0.0.1:${port}/hook?a=b`, { 'x-own': 'own' }))
  expect(answer).toMatchObject({ status: 503, isCut: false, body: 'POST /hook?a=b own Kontor\uFFFD' })
  expect(answer.headers).toMatchObject({ 'x-back': 'yes' })
  expect(answer.headers).not.toHaveProperty('set-cookie')
})

test('follows no redirect', async () => {
  let hits = 0
  const port = await receiver((_, response) => {
    hits++
    response.writeHead(302, { location: `http://127.0.0.1:${port}/secret` }).end()
  })
  const answer = await client({ resolve: resolvingTo('127.0.0.1') }).send(post(`http://receiver.test:${port}/`))
  expect([answer.status, hits]).toEqual([302, 1])
})

test('refuses a name that leads to an address that is not public, and makes no connection', async () => {
  let connections = 0
  const port = await raw(() => connections++)
  const send = client({ open: [], resolve: resolvingTo('127.0.0.1') }).send(post(`http://receiver.test:${port}/`))
  await expect(send).rejects.toEqual(failure('dns'))
  await expect(client({ open: [] }).send(post(`http://localhost:${port}/`))).rejects.toEqual(failure('refused_address'))
  expect(connections).toBe(0)
})

test('refuses a name of which one address is not public', async () => {
  const send = client({ open: [], resolve: resolvingTo('8.8.8.8', '::ffff:10.0.0.1') }).send(
    post('http://receiver.test/'),
  )
  await expect(send).rejects.toEqual(failure('dns'))
})

test('fails alike for a name that leads inside, one that leads nowhere and one that does not resolve', async () => {
  const failures = await Promise.all(
    [resolvingTo('10.1.2.3'), resolvingTo('fd00::1'), resolvingTo(), unresolved].map((resolve) =>
      client({ open: [], resolve })
        .send(post('http://receiver.test/'))
        .catch(({ reason, message }: OutboundFailure) => ({ reason, message })),
    ),
  )
  const message = expect.stringMatching(
    /^The name receiver\.test does not resolve to a public address\. .*ALLOWED_HOSTS/,
  )
  expect(failures[0]).toEqual({ reason: 'dns', message })
  expect(failures).toEqual(failures.map(() => failures[0]))
})

test('names no address where a connection fails', async () => {
  const port = await receiver(() => undefined)
  const closed = servers.pop()!
  await new Promise((resolve) => closed.close(resolve))
  const sent = client({ resolve: resolvingTo('127.0.0.1') }).send(post(`http://receiver.test:${port}/`))
  await expect(sent).rejects.toMatchObject({ reason: 'connection', message: 'The connection failed: ECONNREFUSED' })
})

test('connects to the address that was checked, though the name leads elsewhere when it is asked again', async () => {
  const answers = [['127.0.0.2'], ['127.0.0.1']]
  let asked = 0
  const port = await receiver((_, response) => response.end('the checked one'), '127.0.0.2')
  const resolve = async () => answers[asked++] ?? []
  const rebinding = client({ open: ['127.0.0.2/32'], resolve })
  const answer = await rebinding.send(post(`http://rebind.test:${port}/`))
  expect([answer.body, asked]).toEqual(['the checked one', 1])
  await expect(rebinding.send(post(`http://rebind.test:${port}/`))).rejects.toEqual(failure('dns'))
})

test('tells of a name that has no address, or that nobody knows', async () => {
  const none = client({ resolve: async () => [] }).send(post('http://receiver.test/'))
  await expect(none).rejects.toEqual(failure('dns'))
  const unknown = client({ resolve: () => Promise.reject(new Error('ENOTFOUND')) }).send(post('http://receiver.test/'))
  await expect(unknown).rejects.toEqual(failure('dns'))
})

type Giving = (socket: Socket, timeIsOver: () => void) => void

test.each<[string, Giving]>([
  ['that takes the connection and is silent', (_, timeIsOver) => timeIsOver()],
  ['whose headers come slowly', dripping('HTTP/1.1 200 OK\r\n', 'x-more: yes\r\n')],
  ['that goes on informing', dripping('', 'HTTP/1.1 103 Early Hints\r\n\r\n')],
  ['whose body comes slowly', dripping('HTTP/1.1 200 OK\r\ncontent-length: 99999\r\n\r\n', '.')],
])('gives up a receiver %s when the time is over', async (_, give) => {
  const time = new AbortController()
  const begin = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal)
  const port = await raw((socket) => give(socket, () => time.abort()))
  const send = client({ timeoutMs: 300 }).send(post(`http://127.0.0.1:${port}/`))
  await expect(send).rejects.toEqual(failure('timeout'))
  expect(begin.mock.calls).toEqual([[300]])
})

/** Gives some more each time that what it gave is on its way, and goes on after the time is over. */
function dripping(first: string, more: string): Giving {
  return (socket, timeIsOver) => {
    let drops = 0
    const drip = () => {
      if (++drops === 30) timeIsOver()
      if (drops < 60) socket.write(more, (error) => error || setImmediate(drip))
    }
    socket.write(first, drip)
  }
}

test('gives up a name server that does not answer', async () => {
  const send = client({ timeoutMs: 200, resolve: unanswered }).send(post('http://receiver.test/'))
  await expect(send).rejects.toEqual(failure('timeout'))
})

test('keeps the beginning of a body without an end, and cuts the connection', async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const port = await raw((socket) => {
    const giveMore = () => {
      while (socket.write('x'.repeat(10_000)));
    }
    socket.on('drain', giveMore).on('close', () => resolve())
    socket.write('HTTP/1.1 200 OK\r\n\r\n')
    giveMore()
  })
  const answer = await client().send(post(`http://127.0.0.1:${port}/`))
  expect([answer.status, answer.body.length, answer.isCut]).toEqual([200, bodyBytesMax, true])
  await closed
})

test.each([
  ['garbage', 'SSH-2.0-OpenSSH_9.2\r\n'],
  ['a header without an end', `HTTP/1.1 200 OK\r\nx-long: ${'x'.repeat(100_000)}`],
  ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n'],
])('tells of an answer that is %s', async (_, text) => {
  const port = await raw((socket) => void socket.write(text))
  await expect(client().send(post(`http://127.0.0.1:${port}/`))).rejects.toEqual(failure('invalid_answer'))
})

test.each<[string, (socket: Socket) => unknown]>([
  ['closes without an answer', (socket) => socket.end()],
  ['resets', (socket) => socket.resetAndDestroy()],
  [
    'ends within the body',
    (socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhalf')),
  ],
])('tells of a connection that %s', async (_, onConnection) => {
  const port = await raw((socket) => void onConnection(socket))
  await expect(client().send(post(`http://127.0.0.1:${port}/`))).rejects.toEqual(failure('connection'))
})

test('tells of a port where nothing listens, and of one that does not encrypt', async () => {
  const server = createServer()
  const port = await listening(server)
  await new Promise((resolve) => server.close(resolve))
  await expect(client().send(post(`http://127.0.0.1:${port}/`))).rejects.toEqual(failure('connection'))
  const plain = await receiver((_, response) => response.end())
  await expect(client().send(post(`https://127.0.0.1:${plain}/`))).rejects.toEqual(failure('tls'))
})

test('stops when it is told to, for the reason that it is given', async () => {
  const port = await raw(() => stopping.abort(new Error('The server stops')))
  const stopping = new AbortController()
  const send = client().send(post(`http://127.0.0.1:${port}/`), stopping.signal)
  await expect(send).rejects.toThrow('The server stops')
  const late = client().send(post(`http://127.0.0.1:${port}/`), stopping.signal)
  await expect(late).rejects.toThrow('The server stops')
})

test.each([
  { host: 'internal' },
  { 'Transfer-Encoding': 'chunked' },
  { connection: 'upgrade' },
  { 'proxy-authorization': 'x' },
  { 'x-split': 'a\r\nhost: internal' },
  { 'x split': 'a' },
  { 'x-long': 'x'.repeat(10_000) },
])('sends no header %j', async (headers) => {
  await expect(client().send(post('http://127.0.0.1/', headers as unknown as Record<string, string>))).rejects.toEqual(
    failure('invalid_request'),
  )
})
