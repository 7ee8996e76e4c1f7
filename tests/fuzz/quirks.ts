import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { hostileText, inheritedNames } from './hostile.ts'
import type { Random } from './random.ts'
import { encoded } from './spell.ts'
import type { WireRequest } from './wire.ts'
import type { Words } from './words.ts'

/** Something odd about a request that no value of its call can say. */
type Quirk = (request: WireRequest, random: Random, words: Words) => WireRequest

const withHeader = (request: WireRequest, ...headers: readonly (readonly [string, string])[]): WireRequest => ({
  ...request,
  headers: [...request.headers, ...headers],
})
const without = (request: WireRequest, name: string): WireRequest => ({
  ...request,
  headers: request.headers.filter(([given]) => given.toLowerCase() !== name),
})
const replaced = (request: WireRequest, name: string, value: string): WireRequest =>
  withHeader(without(request, name.toLowerCase()), [name, value])
const withQuery = (request: WireRequest, text: string): WireRequest => ({
  ...request,
  target: `${request.target}${request.target.includes('?') ? '&' : '?'}${text}`,
})
const astray = (request: WireRequest, change: Partial<WireRequest>): WireRequest => ({
  ...request,
  ...change,
  astray: true,
})

/** The bytes of a text as characters, as a careless client puts them into a head. */
const latin = (text: string): string =>
  Buffer.from(text)
    .toString('latin1')
    .replaceAll(/[\r\n\0]/g, '.')

const brackets = [
  'page',
  'page[]',
  'page[limit',
  'page[limit]]',
  'page[[limit]]',
  'page.limit',
  'page[offset][x]',
  'page[limit][]',
  'page[__proto__]',
  'page[constructor]',
  'filter',
  'filter[]',
  'filter[a][b][c]',
  'filter[a][b][c][d]',
  'filter[][Is]',
  'filter[__proto__][Is]',
  'filter[name][__proto__]',
  'filter[constructor]',
  'filter[name][constructor]',
  'filter[job_title][Is][]',
  'sortOrder',
  'sortOrder[0]',
  'sortOrder[999][column]',
  'sortOrder[-1][column]',
  'sortOrder[4][column]',
  'sortOrder[0][__proto__]',
  'sortOrder[1e3][dir]',
  'sortOrder[__proto__][column]',
  'fields',
  'fields[]',
  'fields[person][]',
  'fields[__proto__]',
  'include',
  'include[]',
  'silent',
  'silent[]',
  'dry_run',
  '',
  '[',
  ']',
  '[]',
  '%5B%5D',
  '%',
  'a=b=c',
  '__proto__',
  'constructor',
  'workspace',
  'object',
  'id',
  'body',
  'body[data]',
  'batch',
  'input',
]
const brokenEncodings = [
  '%',
  '%zz',
  '%E0%A4%A',
  '%ED%A0%80',
  '%C0%80',
  '%C0%AE',
  '%F8%A1%A1%A1%A1',
  '%00',
  '%2e%2e%2f',
  '%FF',
  '%u0041',
  '%25%30%30',
  '%c3%28',
  '%F4%90%80%80',
]

const urlQuirks: readonly Quirk[] = [
  (request, random) =>
    withQuery(
      request,
      `${random.pick(brackets)}=${random.pick(['1', '', 'x', 'ASC', 'true', random.pick(inheritedNames)])}`,
    ),
  (request, random) => withQuery(request, `${random.pick(brackets)}=${random.pick(brokenEncodings)}`),
  (request, random) => withQuery(request, random.pick(brokenEncodings)),
  (request, random) => withQuery(request, `${encoded(hostileText(random))}=${encoded(hostileText(random))}`),
  (request, random) =>
    withQuery(
      request,
      random.pick([
        '&',
        '&&&',
        ';a=1',
        '?',
        '??a=1',
        '=',
        '=1',
        '#',
        '+',
        '%20',
        'a&b&c',
        '&page[limit]=1&',
        'page[limit]=1;page[offset]=2',
      ]),
    ),
  (request) => ({ ...request, target: request.target.replace(/\?(.*)$/, '?$1&$1') }),
  (request) => ({ ...request, target: request.target.replace(/\?(.*)$/, (_, query: string) => `?${encoded(query)}`) }),
  (request) => ({
    ...request,
    target: request.target.replace(/\?(.*)$/, (_, query: string) => `?${query.replaceAll('%', '%25')}`),
  }),
  (request) => withQuery(request, Array.from({ length: 800 }, (_, index) => `a${index}=`).join('&')),
  (request) => withQuery(request, `filter[name]=${'x'.repeat(7000)}`),
  (request) => withQuery(request, 'x'.repeat(9000)),
  (request) =>
    withQuery(request, Array.from({ length: 60 }, (_, index) => `filter[job_title][op${index}]=x`).join('&')),
]

const pathQuirks: readonly Quirk[] = [
  (request, random) =>
    astray(request, {
      method: random.pick([
        'GET',
        'POST',
        'PUT',
        'PATCH',
        'DELETE',
        'HEAD',
        'OPTIONS',
        'TRACE',
        'PROPFIND',
        'QUERY',
        'LOCK',
        'PURGE',
        'SEARCH',
        'REPORT',
      ]),
    }),
  (request) => astray(request, { target: request.target.replaceAll('/', '//') }),
  (request) => astray(request, { target: request.target.replace(/(\?|$)/, '/$1') }),
  (request) => astray(request, { target: request.target.replace(/(\?|$)/, '/..$1') }),
  (request) => astray(request, { target: request.target.replace(/(\?|$)/, ';a=b$1') }),
  (request) => astray(request, { target: request.target.replace('/v1', '/V1') }),
  (request) => astray(request, { target: request.target.replaceAll('s', '%73') }),
  (request) => astray(request, { target: `http://kontor.example${request.target}` }),
  (request) => astray(request, { target: `//kontor.example${request.target}` }),
  (request) => astray(request, { target: `http://user:secret@[::1]:99${request.target}` }),
  (request) => astray(request, { target: '*', method: 'OPTIONS' }),
  (request) => astray(request, { target: request.target.toUpperCase() }),
  (request, random) =>
    astray(request, { target: request.target.replace(/\/[^/?]+/, `/${random.pick(brokenEncodings)}`) }),
  (request, random) =>
    astray(request, { target: request.target.replace(/\/[^/?]*(?=\?|$)/, `/${random.pick(brokenEncodings)}`) }),
  (request, random) =>
    astray(request, {
      target: request.target.replace(/\/[^/?]*(?=\?|$)/, `/${hostileText(random).replaceAll(/[^!-~]|[?#]/g, '.')}`),
    }),
  (request, random) =>
    astray(request, {
      target: request.target.replace(
        'acme',
        random.pick([
          'other',
          'ACME',
          'acme%00',
          'acme%20',
          '%61cme',
          'acme/..',
          'acme.',
          '..',
          'acme%2F..%2Fother',
          'nowhere',
          '__proto__',
        ]),
      ),
    }),
  (request, random) =>
    astray(request, {
      target: random.pick([
        '/',
        '/v1',
        '/v1/',
        '/v2',
        '/trpc',
        '/trpc/',
        '/trpc/a,b,c?batch=1',
        '/trpc/%',
        '/actions',
        '/actions/__proto__',
        '/actions/records.create/x',
        '/docs',
        '/docs/../../package.json',
        '/docs/%2e%2e/%2e%2e/package.json',
        '/docs/nothing',
        '/healthz',
        '/readyz',
        '/healthz/../v1/workspaces',
        '/v1/openapi.json',
        '/v1/openapi.json/x',
        '/v1/openapi.jsonx',
        '/actions/openapi.json',
        '/favicon.ico',
        '/robots.txt',
        '/.env',
        '/metrics',
        '/mcp',
      ]),
    }),
]

const types = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/json5',
  'multipart/form-data; boundary=x',
  'nonsense',
  '',
  'application/json; charset=latin1',
  'application/json; charset=utf-16',
  'application/json; charset=utf-8; charset=utf-7',
  'application/json; charset',
  'application/json;;;',
  'application/json; charset="',
  'APPLICATION/JSON',
  ' application/json ',
  'application/jsonx',
  'application/vnd.api+json',
  'application/json, text/plain',
  'application/json; charset=__proto__',
  `application/json; x=${'y'.repeat(4000)}`,
]
const keys = [
  '',
  ' ',
  '0',
  'x'.repeat(255),
  'x'.repeat(256),
  'a\tb',
  latin('ü'),
  '"quoted"',
  'a,b',
  '__proto__',
  "' or 1=1 --",
]
const tags = [
  '',
  '1',
  '"a"',
  '""',
  '"1',
  '"1" "2"',
  'W/"1"',
  '*',
  '*, "1"',
  '"1",',
  ',',
  '"0"',
  '"-1"',
  '"999999999999999"',
  '"9999999999999999"',
  '"1", "2", "3"',
  `"${'1'.repeat(5000)}"`,
  Array.from({ length: 500 }, (_, index) => `"${index}"`).join(','),
  "'1'",
  'nonsense',
]
const authorizations = [
  '',
  'Bearer',
  'Bearer ',
  'api-key',
  'api-key  ',
  'Basic YWRtaW46YWRtaW4=',
  'Bearer x',
  'Bearer a.b.c',
  `Bearer ${Buffer.from('{"alg":"none"}').toString('base64url')}.e30.`,
  `Bearer ${Buffer.from('{"alg":"ES256","kid":"__proto__"}').toString('base64url')}.e30.AAAA`,
  'Bearer null',
  `Bearer ${'x'.repeat(7000)}`,
  'api-key pk_',
  'api-key pk_x',
  'api-key wk_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA0000000',
  "api-key ' or 1=1 --",
  `api-key ${latin('ü')}`,
  'Digest username="x"',
  'api-key a, Bearer b',
]

const headerQuirks: readonly Quirk[] = [
  (request, random) => replaced(request, 'Content-Type', random.pick(types)),
  (request) => without(request, 'content-type'),
  (request, random) => replaced(request, 'Idempotency-Key', random.pick(keys)),
  (request, random) => replaced(request, 'If-Match', random.chance(0.5) ? words(random) : random.pick(tags)),
  (request, random) => replaced(request, 'Authorization', random.pick(authorizations)),
  (request) => withHeader(request, ['Authorization', 'Bearer x']),
  (request, random) => withHeader(request, ['Idempotency-Key', random.word()], ['Idempotency-Key', random.word()]),
  (request) => withHeader(request, ['If-Match', '"1"'], ['If-Match', '"2"']),
  (request) => withHeader(request, ['Content-Type', 'text/plain']),
  (request, random) =>
    withHeader(request, [
      'Accept',
      random.pick([
        'application/problem+json',
        '*/*;q=0',
        'text/html',
        'nonsense',
        '',
        'application/problem+json;q=0',
        ',,,',
        'x'.repeat(3000),
      ]),
    ]),
  (request, random) =>
    withHeader(request, ['Accept-Encoding', random.pick(['gzip', 'br;q=1.0, *;q=0', 'identity;q=0', 'nonsense'])]),
  (request, random) => withHeader(request, ['Accept-Charset', random.pick(['utf-16', '*;q=0'])]),
  (request, random) =>
    withHeader(request, [
      'X-Request-Id',
      random.pick(['mine', 'a b', 'x'.repeat(129), '<script>', latin('ä'), '', '__proto__', '..', '${jndi:ldap://x}']),
    ]),
  (request, random) =>
    withHeader(request, [
      random.pick([
        'X-HTTP-Method-Override',
        'X-Forwarded-For',
        'X-Forwarded-Host',
        'X-Original-URL',
        'X-Rewrite-URL',
        'Forwarded',
        'Range',
        'If-None-Match',
        'If-Modified-Since',
        'Origin',
        'Cookie',
        'Referer',
        'TE',
        'Max-Forwards',
        'Prefer',
        'trpc-accept',
        '__proto__',
        'constructor',
      ]),
      random.pick([
        'DELETE',
        '127.0.0.1',
        '/v1/workspaces/other',
        '*',
        'bytes=0-1',
        'null',
        'application/jsonl',
        '__proto__=1; constructor=2',
        'x'.repeat(3000),
      ]),
    ]),
  (request) => withHeader(request, ...Array.from({ length: 150 }, (_, index) => [`X-Many-${index}`, 'x'] as const)),
  (request) => withHeader(request, ['Expect', '100-continue']),
  (request) => withHeader(request, ['Connection', 'Upgrade'], ['Upgrade', 'websocket']),
  (request) => withHeader(request, ['Connection', 'close']),
]

const words = (random: Random): string =>
  Array.from({ length: random.between(1, 4) }, () => `"${random.below(5)}"`).join(', ')

/** Bytes that are no UTF-8, at some place of a body. */
const brokenBytes = [
  [0xff],
  [0xc0, 0x80],
  [0xe0, 0x80, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf4, 0x90, 0x80, 0x80],
  [0xf8, 0x88, 0x80, 0x80, 0x80],
  [0xc3],
  [0x00],
  [0xef, 0xbb, 0xbf],
  [0x80],
]

const spliced = (body: Buffer, random: Random, bytes: readonly number[]): Buffer => {
  const at = random.below(body.length + 1)
  return Buffer.concat([body.subarray(0, at), Buffer.from(bytes), body.subarray(at)])
}

const chunk = (part: Buffer): Buffer =>
  part.length === 0
    ? Buffer.alloc(0)
    : Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])

const chunked = (body: Buffer, random: Random): Buffer => {
  const half = random.below(body.length + 1)
  return Buffer.concat([chunk(body.subarray(0, half)), chunk(body.subarray(half)), Buffer.from('0\r\n\r\n')])
}

const bodyQuirks: readonly Quirk[] = [
  (request, random) => ({
    ...request,
    body: spliced(request.body ?? Buffer.from('{}'), random, random.pick(brokenBytes)),
  }),
  (request, random) => ({
    ...request,
    body: (request.body ?? Buffer.from('{}')).subarray(0, random.below((request.body?.length ?? 2) + 1)),
  }),
  (request) => ({ ...request, body: Buffer.concat([request.body ?? Buffer.alloc(0), Buffer.from('}')]) }),
  (request) => ({ ...request, body: Buffer.concat([Buffer.from('\uFEFF'), request.body ?? Buffer.from('{}')]) }),
  (request) => ({ ...request, body: Buffer.from(request.body?.toString() ?? '{}', 'utf16le') }),
  (request) => ({ ...request, body: Buffer.alloc(0) }),
  (request, random) => ({ ...request, body: Buffer.from(Array.from({ length: 40 }, () => random.below(256))) }),
  (request, random) =>
    withHeader({ ...request, body: chunked(request.body ?? Buffer.from('{}'), random) }, [
      'Transfer-Encoding',
      'chunked',
    ]),
  (request) => withHeader({ ...request, body: gzipSync(request.body ?? '{}') }, ['Content-Encoding', 'gzip']),
  (request) => withHeader({ ...request, body: deflateSync(request.body ?? '{}') }, ['Content-Encoding', 'deflate']),
  (request) => withHeader({ ...request, body: brotliCompressSync(request.body ?? '{}') }, ['Content-Encoding', 'br']),
  (request) =>
    withHeader({ ...request, body: gzipSync(request.body ?? '{}').subarray(0, 15) }, ['Content-Encoding', 'gzip']),
  (request, random) =>
    withHeader(request, [
      'Content-Encoding',
      random.pick(['gzip', 'br', 'deflate', 'identity', 'zstd', 'compress', 'gzip, gzip', '', '__proto__', 'nonsense']),
    ]),
  (request) =>
    withHeader({ ...request, body: gzipSync(Buffer.alloc(2 * 1024 * 1024, ' ')) }, ['Content-Encoding', 'gzip']),
]

/** Heads that are no HTTP: the server's parser refuses them, or takes them for what they are. */
const unparseable: readonly Quirk[] = [
  (request) => ({ ...request, unparseable: true, astray: true, method: request.method.toLowerCase() }),
  (request) => ({ ...request, unparseable: true, astray: true, method: 'NONSENSE' }),
  (request) => ({ ...request, unparseable: true, astray: true, target: `${request.target} x` }),
  (request) => ({ ...request, unparseable: true, astray: true, target: request.target.slice(1) }),
  (request) => ({ ...request, unparseable: true, astray: true, target: `${request.target}\x01` }),
  (request, random) => ({
    ...withQuery(request, `filter[job_title]=${latin(random.pick(['ü', '株式会社', '🦊']))}`),
    unparseable: true,
  }),
  (request) => ({ ...withHeader(request, ['X-Long', 'x'.repeat(20_000)]), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X-Bad\x00Name', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X Space', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['X-Null', 'a\0b']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['', 'x']), unparseable: true }),
  (request) => ({ ...withHeader(request, ['Expect', 'nonsense']), unparseable: true }),
]

/** Makes a request odd in one way. */
export const withQuirk = (request: WireRequest, random: Random, known: Words): WireRequest =>
  random.pick(
    random.weighted<readonly Quirk[]>([
      [30, urlQuirks],
      [20, pathQuirks],
      [30, headerQuirks],
      [17, bodyQuirks],
      [3, unparseable],
    ]),
  )(request, random, known)
