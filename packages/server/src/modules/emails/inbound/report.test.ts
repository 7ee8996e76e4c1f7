import { expect, test } from 'vitest'
import { readMessage } from './read.ts'

const ours = '<01890000-0000-7000-8000-000000000001@acme.example>'

const dsn = (action: string, status = '', recipient = 'rfc822; grace@example.com', diagnostic = '') =>
  `Reporting-MTA: dns; mx.example\r\n\r\nFinal-Recipient: ${recipient}\r\nAction: ${action}\r\n` +
  (status && `Status: ${status}\r\n`) +
  (diagnostic && `Diagnostic-Code: smtp; ${diagnostic}\r\n`)

const feedback = (type: string) =>
  `Feedback-Type: ${type}\r\nUser-Agent: Provider/1\r\nVersion: 1\r\nOriginal-Rcpt-To: <grace@example.com>\r\n`

const disposition = (how: string) =>
  `Final-Recipient: rfc822; grace@example.com\r\nOriginal-Message-ID: ${ours}\r\nDisposition: ${how}\r\n`

/** The part that programs read, the type of report that it belongs to, and what the report means. */
const contents = [
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.1.1'), 'hard'],
  ['message/delivery-status', 'delivery-status', dsn('Failed', '5.2.2 (full)'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '4.4.7'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('failed'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('failed (5.1.1)', '5.1.1'), 'hard'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.0.0', undefined, '552 5.2.2 over quota'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.0.0', undefined, '552 mailbox full'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.0.0', undefined, '550 5.1.1 unknown'), 'hard'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.0.0', undefined, '550 mx[5.2.2.9] unknown'), 'hard'],
  ['message/delivery-status', 'delivery-status', dsn('failed', '5.1.1', undefined, '552 5.2.2 forwarded'), 'hard'],
  ['message/delivery-status', 'delivery-status', dsn('delayed', '4.4.1'), 'soft'],
  ['message/delivery-status', 'delivery-status', dsn('delivered', '2.1.5'), 'ignored'],
  ['message/delivery-status', 'delivery-status', dsn('relayed', '5.1.1'), 'ignored'],
  ['message/delivery-status', 'delivery-status', dsn('expanded', '4.0.0'), 'ignored'],
  ['message/global-delivery-status', 'delivery-status', dsn('failed', '5.1.1', 'utf-8; gräce@example.com'), 'hard'],
  ['message/global-delivery-status', 'delivery-status', dsn('delivered', '2.0.0'), 'ignored'],
  ['message/feedback-report', 'feedback-report', feedback('abuse'), 'complaint'],
  ['message/feedback-report', 'feedback-report', feedback('Fraud'), 'complaint'],
  ['message/feedback-report', 'feedback-report', feedback('not-spam'), 'ignored'],
  ['message/feedback-report', 'feedback-report', feedback('virus'), 'ignored'],
  ['message/feedback-report', 'feedback-report', feedback('auth-failure'), 'ignored'],
  ['message/feedback-report', 'feedback-report', feedback('other'), 'ignored'],
  ['message/feedback-report', 'feedback-report', 'Version: 1\r\n', 'ignored'],
  ['message/disposition-notification', 'disposition-notification', disposition('manual-action; displayed'), 'ignored'],
  ['message/disposition-notification', 'disposition-notification', disposition('automatic-action; deleted'), 'ignored'],
  ['message/global-disposition-notification', 'disposition-notification', disposition('manual; displayed'), 'ignored'],
  ['message/tracking-status', 'tracking-status', dsn('failed', '5.1.1'), 'ignored'],
  ['text/plain', 'delivery-status', 'It is 550 5.1.1.', 'ignored'],
] as const

const reportTypes = [undefined, 'delivery-status', 'feedback-report', 'disposition-notification', 'tracking-status']

/** Headers, and whether a person wrote the message (RFC 3834). */
const origins = [
  { headers: 'From: grace@example.com', isPerson: true },
  { headers: 'From: grace@example.com\r\nAuto-Submitted: no (typed)', isPerson: true },
  { headers: 'From: grace@example.com\r\nAuto-Submitted: auto-replied', isPerson: false },
  { headers: 'From: grace@example.com\r\nAuto-Submitted: Auto-Generated; type=report', isPerson: false },
  { headers: 'From: grace@example.com\r\nReturn-Path: <>', isPerson: false },
  { headers: 'From: MAILER-DAEMON@mx.example\r\nReturn-Path: <>\r\nAuto-Submitted: auto-replied', isPerson: false },
]

const multipart = (type: string, headers: string, part: string, content: string) =>
  [
    `${headers}\r\nTo: hello@acme.example\r\nIn-Reply-To: ${ours}`,
    `MIME-Version: 1.0\r\nContent-Type: ${type}; boundary="b"\r\n`,
    '--b\r\nContent-Type: text/plain\r\n\r\nFor people.\r\n',
    `--b\r\nContent-Type: ${part}\r\n\r\n${content}`,
    `--b\r\nContent-Type: text/rfc822-headers\r\n\r\nMessage-ID: ${ours}\r\n`,
    '--b--\r\n',
  ].join('\r\n')

function meaningOf(raw: string): string {
  const message = readMessage(Buffer.from(raw))
  expect(message.refersTo).toContain(ours)
  return message.kind === 'bounce' ? message.bounces.map(({ kind }) => kind).join() : message.kind
}

test.each(contents)('a %s in a report of the type %s: %j means %s', (part, type, content, meaning) => {
  for (const declared of reportTypes)
    for (const { headers } of origins) {
      const report = declared === undefined ? 'multipart/report' : `multipart/report; Report-Type="${declared}"`
      const isAgreed = declared === undefined || declared === type
      expect(meaningOf(multipart(report, headers, part, content))).toBe(isAgreed ? meaning : 'ignored')
    }
})

test.each(contents)('a person who attaches a %s to an answer has answered', (part, _, content) => {
  for (const { headers, isPerson } of origins)
    expect(meaningOf(multipart('multipart/mixed', headers, part, content))).toBe(isPerson ? 'reply' : 'ignored')
})

test('finds a report that a mail server has wrapped, and its parts however they are encoded', () => {
  const raw = multipart('multipart/report; report-type=delivery-status', 'X: y', 'message/global-delivery-status', '')
  const coded = Buffer.from(dsn('failed', '5.1.1', 'utf-8; gräce@example.com')).toString('base64')
  const whole = raw.replace('global-delivery-status\r\n', `$&Content-Transfer-Encoding: BASE64\r\n\r\n${coded}`)
  const wrapped = `Content-Type: multipart/mixed; boundary=outer\r\n\r\n--outer\r\n${whole}\r\n--outer--\r\n`
  expect(readMessage(Buffer.from(wrapped))).toMatchObject({
    kind: 'bounce',
    refersTo: [ours],
    bounces: [{ kind: 'hard', recipient: 'gräce@example.com' }],
  })
})

test('an address in an ASCII report may spell its characters', () => {
  const report = dsn('failed', '5.1.1', String.raw`utf-8; gr\x{E4}ce@example.com`)
  const raw = multipart('multipart/report', 'X: y', 'message/delivery-status', report)
  expect(readMessage(Buffer.from(raw))).toMatchObject({ bounces: [{ recipient: 'gräce@example.com' }] })
})

test('a complaint names its recipients', () => {
  const raw = multipart('multipart/report', 'X: y', 'message/feedback-report', feedback('abuse'))
  expect(readMessage(Buffer.from(raw))).toMatchObject({ kind: 'complaint', recipients: ['grace@example.com'] })
})

test('who is on holiday answers with an empty return path, and may name a number', () => {
  const away = `From: grace@example.com\r\nReturn-Path: <>\r\nIn-Reply-To: ${ours}\r\n\r\nCall extension 550.\r\n`
  expect(readMessage(Buffer.from(away))).toMatchObject({ kind: 'ignored' })
})

test('reads a report whose blocks are apart by blanks, and whose type has a comment', () => {
  const other = 'Final-Recipient: rfc822; ada@example.com\r\nAction: failed\r\nStatus: 4.4.1\r\n'
  const two = `${dsn('failed', '5.1.1')} \r\n${other}`
  const raw = multipart(
    'multipart/report (a bounce); report-type=delivery-status',
    'X: y',
    'message/delivery-status',
    two,
  )
  expect(readMessage(Buffer.from(raw))).toMatchObject({
    bounces: [
      { kind: 'hard', recipient: 'grace@example.com' },
      { kind: 'soft', recipient: 'ada@example.com' },
    ],
  })
})

/** Notices of servers that write no report, and what they mean; people write of errors too. */
const notices = [
  ['From: MAILER-DAEMON@mx.example', '<grace@example.com>:\r\nNo mailbox here by that name. (#5.1.1)', 'hard'],
  ['From: Mail Delivery Subsystem <MAILER-DAEMON>', '550 5.1.1 unknown user', 'hard'],
  ['From: MAILER-DAEMON (Mail Delivery System)', '550-5.1.1 The account does not exist.', 'hard'],
  [`From: Outlook <MicrosoftExchange${'329e71ec'.repeat(4)}@example.com>`, '550 5.1.10 RecipientNotFound', 'hard'],
  ['From: postmaster@mx.example', '552 mailbox full', 'soft'],
  ['From: MAILER-DAEMON@mx.example', 'host mx.example[5.1.1.9] said: 421 later', 'ignored'],
  ['From: MAILER-DAEMON@mx.example', 'host 10.5.1.1 does not respond', 'ignored'],
  ['From: "MAILER-DAEMON" <grace@example.com>', 'Why 550 5.1.1?', 'reply'],
  ['From: no_reply@example.com', 'Thank you for 550 letters', 'ignored'],
  ['From: grace@example.com\r\nX-Mail-Autoreply: yes', 'I am away until 5.1.1', 'ignored'],
] as const

test.each(notices)('%s: %j means %s', (headers, text, meaning) => {
  expect(meaningOf(`${headers}\r\nIn-Reply-To: ${ours}\r\n\r\n${text}\r\n`)).toBe(meaning)
})

test('a notice may name its recipients in its header', () => {
  const headers = `From: Mailer-Daemon@mx.example\r\nX-Failed-Recipients: grace@example.com,\r\n ada@example.com`
  expect(readMessage(Buffer.from(`${headers}\r\n\r\n550 unknown`))).toMatchObject({
    bounces: [
      { kind: 'hard', recipient: 'grace@example.com' },
      { kind: 'hard', recipient: 'ada@example.com' },
    ],
  })
})
