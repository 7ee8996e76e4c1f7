import type { ParsedMail } from 'mailparser'
import { bounceOf, fieldsOf, readDeliveries, type ReportedDelivery } from './report.ts'

/** Longest part of a message that is searched for what a mail server says. */
const searchedMax = 64 * 1024

/** Servers that a letter may pass on its way: more are a loop (RFC 5321 §6.3 advises 100). */
const hopsMax = 100

/** Letters and addresses of a message that are looked up, and reports in it that are noted. */
const namedMax = 100

/** What a message names. */
type Named = {
  /** Message-IDs, those that speak of our letter first. */
  readonly refersTo: readonly string[]
  /** Addresses that it was sent to, in lower case. */
  readonly sentTo: readonly string[]
  readonly from: string | undefined
}

/** How a letter came back to a recipient. */
type Bounce = Pick<ReportedDelivery, 'recipient' | 'detail'> & { readonly kind: 'hard' | 'soft' }

type Report =
  | { readonly kind: 'bounce'; readonly bounces: readonly Bounce[] }
  /** Its recipient holds a letter for spam (RFC 5965). */
  | { readonly kind: 'complaint' }
  | { readonly kind: 'ignored' }

/** What a message is, as far as it concerns letters of ours. */
export type InboundMessage = Named & (Report | { readonly kind: 'reply' })

/** Parses a message; one that is broken counts as far as it can be read, and one that cannot be read is ignored. */
export async function readMessage(raw: Buffer): Promise<InboundMessage> {
  // Loaded with the first message.
  const { simpleParser } = await import('mailparser')
  const mail = await simpleParser(raw, {
    keepDeliveryStatus: true,
    skipHtmlToText: true,
    skipTextToHtml: true,
    skipTextLinks: true,
    skipImageLinks: true,
  }).catch(() => undefined)
  return mail === undefined ? { refersTo: [], sentTo: [], from: undefined, kind: 'ignored' } : incomingOf(mail)
}

const valuesOf = ({ headerLines }: ParsedMail, name: string): string[] =>
  headerLines.filter(({ key }) => key === name).map(({ line }) => line.slice(line.indexOf(':') + 1).trim())

const valueOf = (mail: ParsedMail, name: string): string => (valuesOf(mail, name)[0] ?? '').toLowerCase()

const idsIn = (text: string): string[] => text.match(/<[^<>\s]{3,300}>/g) ?? []

const addressesIn = (text: string): string[] =>
  text.toLowerCase().match(/[^\s<>,;:"()]{1,128}@[^\s<>,;:"()]{1,255}/g) ?? []

/** Where a message was sent to; forwarding adds headers of its own. */
const recipientHeaders = ['to', 'cc', 'delivered-to', 'x-original-to', 'envelope-to', 'x-forwarded-to']

function incomingOf(mail: ParsedMail): InboundMessage {
  const parts = mail.attachments.map(({ contentType, content }) => ({
    type: contentType.toLowerCase(),
    text: content.subarray(0, searchedMax).toString(),
  }))
  const returned = parts.find(({ type }) => type === 'message/rfc822' || type === 'text/rfc822-headers')?.text ?? ''
  const original = fieldsOf(returned.split(/\r?\n\r?\n/)[0] ?? '').get('message-id') ?? ''
  const facts = {
    refersTo: [
      ...idsIn(original),
      ...valuesOf(mail, 'in-reply-to').flatMap(idsIn),
      ...valuesOf(mail, 'references').flatMap(idsIn).toReversed(),
    ].slice(0, namedMax),
    sentTo: recipientHeaders
      .flatMap((name) => valuesOf(mail, name))
      .flatMap(addressesIn)
      .slice(0, namedMax),
    from: mail.from?.value[0]?.address?.toLowerCase(),
  }
  const report = reportOf(mail, parts)
  if (report !== undefined) return { ...facts, ...report }
  const isLoop = valuesOf(mail, 'received').length > hopsMax
  return isLoop || isAutomatic(mail) ? { ...facts, kind: 'ignored' } : { ...facts, kind: 'reply' }
}

type Part = { readonly type: string; readonly text: string }

/** What a report of a mail server says; undefined of a message that is none. */
function reportOf(mail: ParsedMail, parts: readonly Part[]): Report | undefined {
  const status = parts.find(({ type }) => type === 'message/delivery-status')
  if (status !== undefined) return bounceFrom(readDeliveries(status.text))
  if (parts.some(({ type }) => type === 'message/feedback-report')) return { kind: 'complaint' }
  if (!isFromServer(mail)) return undefined
  // Old servers say it to people alone.
  const text = (mail.text ?? '').slice(0, searchedMax)
  const code = /\b[45]\.\d{1,3}\.\d{1,3}\b/.exec(text)?.[0] ?? /(?<![\d.])55[0134](?![\d.])/.exec(text)?.[0]
  if (code === undefined) return { kind: 'ignored' }
  const known = code.includes('.') ? code : '5.0.0'
  return bounceFrom([{ recipient: undefined, action: '', status: known, detail: lineAround(text, code) }])
}

const lineAround = (text: string, code: string): string =>
  text
    .split(/\r?\n/)
    .find((line) => line.includes(code))
    ?.trim() ?? code

function bounceFrom(deliveries: readonly ReportedDelivery[]): Report {
  const bounces = deliveries.slice(0, namedMax).flatMap((delivery) => {
    const kind = bounceOf(delivery)
    return kind === undefined ? [] : [{ kind, recipient: delivery.recipient, detail: delivery.detail }]
  })
  return bounces.length === 0 ? { kind: 'ignored' } : { kind: 'bounce', bounces }
}

const serverName = /^(mailer-daemon|postmaster|mail-daemon|mdaemon)@/

/** A mail server writes with an empty return path (RFC 5321 §4.5.5), or under a name of its own. */
const isFromServer = (mail: ParsedMail): boolean =>
  valuesOf(mail, 'return-path').some((path) => path === '<>') ||
  serverName.test(mail.from?.value[0]?.address?.toLowerCase() ?? '')

/** RFC 3834, and what programs say that are older than it. */
const isAutomatic = (mail: ParsedMail): boolean =>
  !['', 'no'].includes(valueOf(mail, 'auto-submitted').split(/[;\s]/)[0] ?? '') ||
  ['bulk', 'junk', 'list', 'auto_reply'].includes(valueOf(mail, 'precedence')) ||
  automaticHeaders.some((name) => valuesOf(mail, name).length > 0) ||
  /^(no-?reply|do-?not-?reply)[+@-]/.test(mail.from?.value[0]?.address?.toLowerCase() ?? '')

const automaticHeaders = [
  'x-autoreply',
  'x-autorespond',
  'x-autoresponder',
  'x-auto-response-suppress',
  'x-autogenerated',
  'list-id',
  'x-loop',
]
