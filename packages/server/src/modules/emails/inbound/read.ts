import { addressesIn, firstAddressIn } from './addresses.ts'
import { headerBytesMax, partsOf, readEntity, textOf, type Entity } from './mime.ts'
import { bounceFrom, codeIn, reportOf, searchedMax, type MailReport } from './report.ts'

/** Servers that a letter may pass on its way: more are a loop (RFC 5321 §6.3 advises 100). */
const hopsMax = 100

/** Letters and addresses of a message that are looked up. */
const namedMax = 100

/** Multiparts within each other: mail servers wrap a report in one or two. */
const depthMax = 5

/** The letters and addresses that a message names. */
type MessageTraces = {
  /** Message-IDs, those that speak of our letter first. */
  readonly refersTo: readonly string[]
  /** Addresses that it was sent to, in lower case. */
  readonly sentTo: readonly string[]
  readonly from: string | undefined
}

/** An inbound message, as far as it concerns our letters. */
export type InboundMessage = MessageTraces & (MailReport | { readonly kind: 'reply' })

const unread: InboundMessage = { refersTo: [], sentTo: [], from: undefined, kind: 'ignored' }

/**
 * Reads a message as far as it can be read; a broken one is never refused. It takes time and memory in proportion to
 * the size of the message, and decodes no attachment (0173).
 */
export function readMessage(raw: Buffer): InboundMessage {
  const message = readEntity(raw)
  if (raw.length - message.body.length > headerBytesMax) return unread
  const reportPart = reportIn(message)
  const facts = {
    refersTo: [
      ...idsIn(reportPart === undefined ? '' : originalId(reportPart)),
      ...valuesOf(message, 'in-reply-to').flatMap(idsIn),
      ...valuesOf(message, 'references').flatMap(idsIn).toReversed(),
    ].slice(0, namedMax),
    sentTo: recipientHeaders
      .flatMap((name) => valuesOf(message, name))
      .flatMap(addressesIn)
      .slice(0, namedMax),
    from: firstAddressIn(valueOf(message, 'from')),
  }
  if (reportPart !== undefined) return { ...facts, ...reportOf(reportPart) }
  if (isServer(facts.from ?? valueOf(message, 'from'))) return { ...facts, ...noticeOf(message) }
  const isLoop = valuesOf(message, 'received').length > hopsMax
  return { ...facts, kind: isLoop || isAutomatic(message, facts.from) ? 'ignored' : 'reply' }
}

const valuesOf = ({ header }: Entity, name: string): readonly string[] => header.get(name) ?? []

const valueOf = (message: Entity, name: string): string => valuesOf(message, name)[0] ?? ''

const idsIn = (text: string): string[] => text.match(/<[^<>\s]{3,300}>/g) ?? []

/** Where a message was sent to; forwarding adds headers of its own. */
const recipientHeaders = ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-forwarded-to']

const wrappers: readonly string[] = ['multipart/mixed', 'multipart/signed']

/** The report that a message is. One that a person attaches to what they write is none. */
function reportIn(entity: Entity, depth = 0): Entity | undefined {
  if (entity.type === 'multipart/report') return entity
  const [first] = depth < depthMax && wrappers.includes(entity.type) ? partsOf(entity) : []
  return first && reportIn(first, depth + 1)
}

const originals: readonly string[] = [
  'message/rfc822',
  'message/global',
  'text/rfc822-headers',
  'message/global-headers',
]

/** The Message-ID of the letter that a report returns. */
function originalId(report: Entity): string {
  const original = partsOf(report).find(({ type }) => originals.includes(type))
  if (original === undefined) return ''
  return valueOf(readEntity(Buffer.from(textOf(original, searchedMax))), 'message-id')
}

/** Reads what old mail servers write, for people only. */
function noticeOf(message: Entity): MailReport {
  const text = plainTextOf(message)
  const code = codeIn(text) ?? /(?<![\d.])55[01234](?![\d.])/.exec(text)?.[0]
  if (code === undefined) return { kind: 'ignored' }
  const status = code.includes('.') ? code : code === '552' ? '5.2.2' : '5.0.0'
  const named = valuesOf(message, 'x-failed-recipients').flatMap(addressesIn)
  const detail = lineAround(text, code)
  const recipients = named.length === 0 ? [undefined] : named.slice(0, namedMax)
  return bounceFrom(recipients.map((recipient) => ({ recipient, action: '', status, detail })))
}

/** The first plain text of a message. */
function plainTextOf(entity: Entity, depth = 0): string {
  if (entity.type === 'text/plain') return textOf(entity, searchedMax)
  if (depth >= depthMax) return ''
  for (const part of partsOf(entity)) {
    const text = plainTextOf(part, depth + 1)
    if (text !== '') return text
  }
  return ''
}

const lineAround = (text: string, code: string): string =>
  text
    .split(/\r?\n/)
    .find((line) => line.includes(code))
    ?.trim() ?? code

/**
 * Names under which mail servers write. An empty return path does not suffice: who is on holiday answers with one too
 * (RFC 3834 §3.3), and may name a number of three digits.
 */
const isServer = (from: string): boolean =>
  /^<?(mailer-daemon|postmaster|mail-daemon|mdaemon|microsoftexchange[\da-f]{32})(@|$|[\s>(])/i.test(
    from.replace(/^[^<]*(?=<)/, ''),
  )

/** RFC 3834, and what programs say that are older than it. */
const isAutomatic = (message: Entity, from = ''): boolean =>
  !['', 'no'].includes(/^[^;\s(]*/.exec(valueOf(message, 'auto-submitted').toLowerCase())?.[0] ?? '') ||
  ['bulk', 'junk', 'list', 'auto_reply'].includes(valueOf(message, 'precedence').toLowerCase()) ||
  valuesOf(message, 'return-path').some((path) => path === '<>') ||
  automaticHeaders.some((name) => valuesOf(message, name).length > 0) ||
  /^(no[-_]?reply|do[-_]?not[-_]?reply)[+@._-]/.test(from)

const automaticHeaders = [
  'x-autoreply',
  'x-autorespond',
  'x-autoreply-from',
  'x-mail-autoreply',
  'x-autoresponder',
  'x-auto-response-suppress',
  'x-autogenerated',
  'list-id',
  'x-loop',
]
