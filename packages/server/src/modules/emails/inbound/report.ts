import { typedAddressIn } from './addresses.ts'
import { fieldsOf, partsOf, textOf, type Entity } from './mime.ts'

/** Longest part of a report that is read. */
export const searchedMax = 64 * 1024

/** Recipients of a report that are noted. */
const reportedMax = 100

/** The report of a mail server on one recipient (RFC 3464). */
export type ReportedDelivery = {
  /** In lower case; undefined where it names none. */
  readonly recipient: string | undefined
  readonly action: string
  /** An enhanced status code (RFC 3463), such as 5.1.1. */
  readonly status: string
  readonly detail: string
}

/** A bounce to a recipient. */
type Bounce = Pick<ReportedDelivery, 'recipient' | 'detail'> & { readonly kind: 'hard' | 'soft' }

/** The content of a report. */
export type MailReport =
  | { readonly kind: 'bounce'; readonly bounces: readonly Bounce[] }
  /** A recipient considers a letter spam (RFC 5965); `recipients` are those that the report names. */
  | { readonly kind: 'complaint'; readonly recipients: readonly string[] }
  | { readonly kind: 'ignored' }

/** The types of reports (RFC 6522) by the types of the part that programs read. */
const reportTypes: Readonly<Record<string, string>> = {
  'message/delivery-status': 'delivery-status',
  'message/global-delivery-status': 'delivery-status',
  'message/feedback-report': 'feedback-report',
  'message/disposition-notification': 'disposition-notification',
  'message/global-disposition-notification': 'disposition-notification',
}

/** The types of feedback by which a reader wants no more; others praise, classify or test. */
const complaints: readonly string[] = ['abuse', 'fraud']

/** Reads a `multipart/report`. One whose type and content disagree reports nothing that can be acted on. */
export function reportOf(report: Entity): MailReport {
  const part = partsOf(report).find(({ type }) => Object.hasOwn(reportTypes, type))
  const contained = part && reportTypes[part.type]
  const declared = report.parameters.get('report-type')?.toLowerCase() ?? contained
  if (part === undefined || declared !== contained) return { kind: 'ignored' }
  const text = textOf(part, searchedMax)
  if (contained === 'delivery-status') return bounceFrom(readDeliveries(text))
  return contained === 'feedback-report' ? feedbackFrom(text) : { kind: 'ignored' }
}

function feedbackFrom(text: string): MailReport {
  const fields = fieldsOf(text)
  if (!complaints.includes(fields.get('feedback-type')?.[0]?.toLowerCase() ?? '')) return { kind: 'ignored' }
  const named = fields.get('original-rcpt-to') ?? []
  return { kind: 'complaint', recipients: named.slice(0, reportedMax).flatMap((one) => typedAddressIn(one) ?? []) }
}

/** Reads the part that programs read. The first of its blocks describes the letter, each other a recipient. */
export const readDeliveries = (report: string): ReportedDelivery[] =>
  report
    .split(/(?:\r?\n[ \t]*){2,}(?=\S|$)/)
    .map(fieldsOf)
    .filter((fields) => fields.has('action') || fields.has('status'))
    .slice(0, reportedMax)
    .map((fields) => {
      const [original, final, action, status, diagnostic] = [
        'original-recipient',
        'final-recipient',
        'action',
        'status',
        'diagnostic-code',
      ].map((name) => fields.get(name)?.[0])
      return {
        recipient: typedAddressIn(original) ?? typedAddressIn(final),
        action: /^[a-z]*/i.exec(action ?? '')?.[0].toLowerCase() ?? '',
        status: statusOf(codeIn(status ?? '') ?? '', diagnostic ?? ''),
        detail: diagnostic ?? status ?? '',
      }
    })

/** Finds an enhanced status code (RFC 3463). Addresses of hosts and versions of programs look like one. */
export const codeIn = (text: string): string | undefined =>
  /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?![\d.]*\d)/.exec(text)?.[0]

/** Some servers write 5.0.0 of all that has failed, and the reason only into the diagnostic. */
function statusOf(status: string, diagnostic: string): string {
  if (!/^[45]\.0\.0$/.test(status)) return status
  const code = codeIn(diagnostic)
  if (code?.[0] === status[0] && code !== undefined) return code
  // Too much storage is used (RFC 5321 §4.2.3).
  return /(?<![\d.])552(?![\d.])/.test(diagnostic) ? '5.2.2' : status
}

/** Returns the bounces among deliveries. */
export function bounceFrom(deliveries: readonly ReportedDelivery[]): MailReport {
  const bounces = deliveries.flatMap((delivery) => {
    const kind = bounceOf(delivery)
    return kind === undefined ? [] : [{ kind, recipient: delivery.recipient, detail: delivery.detail }]
  })
  return bounces.length === 0 ? { kind: 'ignored' } : { kind: 'bounce', bounces }
}

/**
 * Codes about the letter or the moment, not about the address: a full mailbox, a letter that is too large or takes a
 * wrong form, a policy (RFC 3463 §3).
 */
const notOfAddress = /^5\.(2\.[234]|[367]\.\d+)$/

/** Returns how a letter came back to one recipient; undefined where it did not, or nothing can be said. */
export function bounceOf({ action, status }: Pick<ReportedDelivery, 'action' | 'status'>): 'hard' | 'soft' | undefined {
  if (action === 'delayed') return 'soft'
  if (action !== 'failed' && action !== '') return undefined
  if (status.startsWith('4.')) return 'soft'
  if (status.startsWith('5.')) return notOfAddress.test(status) ? 'soft' : 'hard'
  return action === 'failed' ? 'soft' : undefined
}
