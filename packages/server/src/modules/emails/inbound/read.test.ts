import { expect, test } from 'vitest'
import { readMessage } from './read.ts'
import { bounceOf, readDeliveries } from './report.ts'

const ours = '<01890000-0000-7000-8000-000000000001@acme.example>'

const message = (headers: Readonly<Record<string, string>>, body = 'Yes, please.') =>
  Buffer.from(
    `${Object.entries({ From: 'Grace <grace@example.com>', To: 'hello@acme.example', Subject: 'Re: Offer', ...headers })
      .map(([name, value]) => `${name}: ${value}`)
      .join('\r\n')}\r\n\r\n${body}\r\n`,
  )

const reply = { 'In-Reply-To': ours, References: `<a@b> ${ours}` }

const report = (status: string, action = 'failed', type = 'multipart/report; report-type=delivery-status') =>
  message(
    { From: 'MAILER-DAEMON@mx.example', 'Content-Type': `${type}; boundary="b"`, 'MIME-Version': '1.0' },
    [
      '--b\r\nContent-Type: text/plain\r\n\r\nIt did not arrive.\r\n',
      '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example\r\n\r\n' +
        `Final-Recipient: rfc822; Grace@Example.com\r\nAction: ${action}\r\nStatus: ${status}\r\n` +
        'Diagnostic-Code: smtp; 550 no such\r\n mailbox\r\n',
      `--b\r\nContent-Type: text/rfc822-headers\r\n\r\nSubject: Offer\r\nMessage-ID: ${ours}\r\n`,
      '--b--',
    ].join('\r\n'),
  )

test('an answer names the letter that it answers', () => {
  expect(readMessage(message(reply))).toEqual({
    kind: 'reply',
    refersTo: [ours, ours, '<a@b>'],
    sentTo: ['hello@acme.example'],
    from: 'grace@example.com',
  })
})

test('finds the addresses to which a message was led', () => {
  const { sentTo } = readMessage(message({ To: '"A, B" <replies+x@in.example>', 'Delivered-To': 'C@in.example' }))
  expect(sentTo).toEqual(['replies+x@in.example', 'c@in.example'])
})

test.each([
  [{ 'Auto-Submitted': 'auto-replied' }],
  [{ 'Auto-Submitted': 'auto-generated; owner-email="a@b"' }],
  [{ Precedence: 'auto_reply' }],
  [{ Precedence: 'Bulk' }],
  [{ 'X-Autoreply': 'yes' }],
  [{ 'X-Autorespond': '' }],
  [{ 'X-Auto-Response-Suppress': 'All' }],
  [{ 'List-Id': '<list.example>' }],
  [{ 'X-Loop': 'a@b.example' }],
  [{ From: 'no-reply@example.com' }],
  [{ 'Return-Path': '<>' }],
])('%j is no answer of a person', (headers) => {
  expect(readMessage(message({ ...reply, ...headers }))).toMatchObject({ kind: 'ignored' })
})

test('a person may say that they wrote it themselves', () => {
  expect(readMessage(message({ ...reply, 'Auto-Submitted': 'no' }))).toMatchObject({ kind: 'reply' })
})

test('a message that goes round in circles is no answer', () => {
  const hops = Array.from({ length: 101 }, (_, at) => `Received: from mx${at}.example by mx.example\r\n`).join('')
  expect(readMessage(Buffer.concat([Buffer.from(hops), message(reply)]))).toMatchObject({ kind: 'ignored' })
})

test.each([
  ['5.1.1', 'failed', 'hard'],
  ['5.0.0', 'failed', 'hard'],
  ['5.4.1', 'failed', 'hard'],
  ['5.2.2', 'failed', 'soft'],
  ['5.7.1', 'failed', 'soft'],
  ['4.4.7', 'failed', 'soft'],
  ['4.4.1', 'delayed', 'soft'],
])('a report of %s, %s, is a %s bounce', (status, action, kind) => {
  expect(readMessage(report(status, action))).toMatchObject({
    kind: 'bounce',
    refersTo: [ours],
    bounces: [{ kind, recipient: 'grace@example.com', detail: 'smtp; 550 no such mailbox' }],
  })
})

const many = (text: string): string => Array.from({ length: 5000 }, () => text).join(' ')

test('a message that names ever so much is looked up in parts', () => {
  const { refersTo, sentTo } = readMessage(message({ References: many(ours), To: many('<a@b.example>,') }))
  expect([refersTo.length, sentTo.length]).toEqual([100, 100])
  const raw = report('5.1.1').toString()
  const [block = ''] = /Final-Recipient:[^]*?mailbox\r\n\r?\n?/.exec(raw) ?? []
  const read = readMessage(Buffer.from(raw.replace(block, `${block}\r\n`.repeat(300))))
  expect(read.kind === 'bounce' && read.bounces.length).toBe(100)
})

test.each(['delivered', 'relayed', 'expanded'])('a report of what was %s is ignored', (action) => {
  expect(readMessage(report('2.1.5', action))).toMatchObject({ kind: 'ignored' })
})

test('a report for several recipients tells of each', () => {
  const text = 'Reporting-MTA: dns; a\n\nFinal-Recipient: rfc822;a@b.c\nAction: failed\nStatus: 5.1.1\n\n\n'
  const deliveries = readDeliveries(`${text}Final-Recipient: x400; none\nAction: delayed\nStatus: 4.2.0 (busy)\n`)
  expect(deliveries.map((one) => [one.recipient, bounceOf(one)])).toEqual([
    ['a@b.c', 'hard'],
    [undefined, 'soft'],
  ])
})

test('reads what old servers write to people', () => {
  const from = { From: 'MAILER-DAEMON@mx.example', 'In-Reply-To': ours }
  const text =
    'Hi. This is the qmail-send program.\r\n\r\n<grace@example.com>:\r\nRemote host said: 550 no mailbox here'
  expect(readMessage(message(from, text))).toMatchObject({
    kind: 'bounce',
    bounces: [{ kind: 'hard', detail: 'Remote host said: 550 no mailbox here' }],
  })
  expect(readMessage(message(from, 'Hello from 10.55.0.1'))).toMatchObject({ kind: 'ignored' })
})

/** Always the same numbers from 0 up to 1. */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Breaks a message in one of many ways. */
function mutated(raw: Buffer, next: () => number): Buffer {
  const at = Math.floor(next() * raw.length)
  const to = Math.min(raw.length, at + Math.floor(next() * 200))
  const [before, piece, after] = [raw.subarray(0, at), raw.subarray(at, to), raw.subarray(to)]
  const ways = [
    () => [before, after],
    () => [before, piece, piece, after],
    () => [after, piece, before],
    () => [before],
    () => [before, Buffer.from(Array.from({ length: 40 }, () => Math.floor(next() * 256))), after],
    () => [before, Buffer.from('\r\n\r\n'), piece, after],
    () => [before, Buffer.from('\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n'), piece, after],
    () => [before, Buffer.from('=?utf-8?B?////?= =?x?Q?=G?='), after],
    () => [before, Buffer.from('\0\0'), piece, after],
    () => [Buffer.from(raw.toString('latin1').replaceAll('\r\n', next() < 0.5 ? '\n' : '\r'), 'latin1')],
    () => [before, Buffer.from('Content-Type: multipart/mixed; boundary="b"\r\n'.repeat(20)), after],
    () => [before, Buffer.alloc(20_000, 'a'), after],
  ]
  return Buffer.concat(ways[Math.floor(next() * ways.length)]?.() ?? [])
}

test('a broken message is read as far as it can be: none of a thousand is refused', () => {
  const next = numbers(20_261_123)
  const whole = [message(reply), report('5.1.1'), message({ 'Content-Type': 'text/html; charset=utf-16' }, '<a')]
  const kinds = new Set<string>()
  for (let round = 0; round < 1000; round++) {
    let raw: Buffer = whole[round % whole.length] ?? message(reply)
    for (let times = 0; times <= round % 4; times++) raw = mutated(raw, next)
    kinds.add(readMessage(raw).kind)
  }
  expect([...kinds].toSorted()).toEqual(['bounce', 'ignored', 'reply'])
})

test.each(['', '\0', '\r\n', '\r\n\r\n', ':', 'From', 'From:', '--', 'Content-Type: multipart/mixed\r\n\r\n--'])(
  'takes %j for a message',
  (text) => {
    expect(readMessage(Buffer.from(text))).toMatchObject({ refersTo: [], sentTo: [], from: undefined })
  },
)

const mebibytes = (text: string, count = 8): string => text.repeat(Math.ceil((count * 1024 * 1024) / text.length))

const nested = Array.from(
  { length: 5000 },
  (_, depth) => `Content-Type: multipart/mixed; boundary="b${depth}"\r\n\r\n--b${depth}\r\n`,
)

const mixed = { 'Content-Type': 'multipart/mixed; boundary=b' }
const encoded = { 'Content-Type': 'text/plain', 'Content-Transfer-Encoding': 'quoted-printable' }
const server = { From: 'MAILER-DAEMON@mx.example' }

test.each([
  ['a long field', message({ 'X-Long': mebibytes('a ') }), 'ignored'],
  ['a long list of recipients', message({ To: mebibytes('a,') }), 'ignored'],
  ['recipients up to the limit', message({ To: mebibytes('a,', 0.9), From: mebibytes('"', 0.05) }), 'reply'],
  ['comments in comments', message({ From: mebibytes('(', 0.9) }), 'reply'],
  [
    'an address of signs',
    report('5.1.1', 'failed', 'multipart/report').toString().replace('Grace@', mebibytes('@', 0.05)),
    'bounce',
  ],
  ['quoted-printable', message({ ...server, ...encoded }, mebibytes('=E9=\r\n')), 'ignored'],
  ['folded lines', message({}, mebibytes('\r\n ')), 'reply'],
  ['empty lines', message(server, mebibytes('\r\n')), 'ignored'],
  ['boundaries', message({ ...server, ...mixed }, mebibytes('\n--b')), 'ignored'],
  ['lines like boundaries', message({ ...server, ...mixed }, mebibytes('\n--bb')), 'ignored'],
  ['parts within parts', nested.join(''), 'reply'],
  ['fields without end', mebibytes(':\n'), 'ignored'],
  ['semicolons', message({ 'Content-Type': `multipart/report${mebibytes(';=" ', 0.9)}` }), 'ignored'],
])('reads megabytes of %s in time', (_, raw, kind) => {
  // A step for each pair of bytes would take days.
  expect(readMessage(Buffer.from(raw))).toMatchObject({ kind })
})
