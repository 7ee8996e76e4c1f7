/** What a mail server says of one recipient (RFC 3464). */
export type ReportedDelivery = {
  /** In lower case; undefined where it names none. */
  readonly recipient: string | undefined
  readonly action: string
  /** An enhanced status code (RFC 3463), such as 5.1.1. */
  readonly status: string
  readonly detail: string
}

type Fields = ReadonlyMap<string, string>

/** The fields of a header by their names in lower case, the first of each; lines that go on are one. */
export function fieldsOf(block: string): Fields {
  const fields = new Map<string, string>()
  for (const line of block.replaceAll(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const colon = line.indexOf(':')
    if (colon < 1) continue
    const name = line.slice(0, colon).trim().toLowerCase()
    if (!fields.has(name)) fields.set(name, line.slice(colon + 1).trim())
  }
  return fields
}

/** `rfc822; grace@example.com`, as far as it is an address of e-mail. */
const addressIn = (field: string | undefined): string | undefined =>
  /^(?:[\w-]+\s*;)?\s*<?([^\s<>;]+@[^\s<>;]+?)>?$/.exec(field ?? '')?.[1]?.toLowerCase()

/** Reads the part of a report that programs read. The first of its blocks speaks of the letter, each other of one. */
export const readDeliveries = (report: string): ReportedDelivery[] =>
  report
    .split(/(?:\r?\n){2,}/)
    .map(fieldsOf)
    .filter((fields) => fields.has('action') || fields.has('status'))
    .map((fields) => ({
      recipient: addressIn(fields.get('original-recipient')) ?? addressIn(fields.get('final-recipient')),
      action: (fields.get('action') ?? '').toLowerCase(),
      status: /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0] ?? '',
      detail: fields.get('diagnostic-code') ?? fields.get('status') ?? '',
    }))

/**
 * What says something of the letter or of the moment, and nothing of the address: a full mailbox, a letter that is too
 * large or takes a wrong form, a policy (RFC 3463 §3).
 */
const notOfAddress = /^5\.(2\.[234]|[367]\.\d+)$/

/** How a letter came back to one recipient; undefined where it did not, or nothing can be said. */
export function bounceOf({ action, status }: Pick<ReportedDelivery, 'action' | 'status'>): 'hard' | 'soft' | undefined {
  if (action === 'delayed' || status.startsWith('4.')) return 'soft'
  if (action !== 'failed' && action !== '') return undefined
  if (status.startsWith('5.')) return notOfAddress.test(status) ? 'soft' : 'hard'
  return action === 'failed' ? 'soft' : undefined
}
