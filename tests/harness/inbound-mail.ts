import type { TestApp } from './app.ts'
import type { Answer } from './http.ts'

/** A letter as its reader has it. */
export type Held = { readonly to: string; readonly messageId: string }

/** The reply of a reader. */
export const answerTo = ({ to, messageId }: Held, more = ''): string =>
  `From: ${to}\r\nTo: hello@acme.example\r\nSubject: Re: Hello\r\nIn-Reply-To: ${messageId}\r\n${more}\r\nYes.\r\n`

/** The automatic reply of a mailbox. */
export const absenceNote = (held: Held): string => answerTo(held, 'Auto-Submitted: auto-replied\r\n')

/**
 * The report of a mail server on a letter that it could not deliver (RFC 3464): 5.x.x is permanent, 4.x.x temporary.
 */
export const deliveryReport = ({ to, messageId }: Held, status: string): string =>
  'From: MAILER-DAEMON@mx.example\r\nTo: hello@acme.example\r\nSubject: Undelivered\r\nMIME-Version: 1.0\r\n' +
  'Content-Type: multipart/report; report-type=delivery-status; boundary="b"\r\n\r\n' +
  '--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\n' +
  `Final-Recipient: rfc822; ${to}\r\nAction: ${status.startsWith('5') ? 'failed' : 'delayed'}\r\n` +
  `Status: ${status}\r\n\r\n` +
  `--b\r\nContent-Type: message/rfc822\r\n\r\nMessage-ID: ${messageId}\r\n\r\nHello\r\n--b--\r\n`

/** Delivers mail to a workspace, as a mail server does. */
export async function inboundOf({ api, http, origin }: Pick<TestApp, 'api' | 'http' | 'origin'>) {
  const { url } = (await api.get('/workspaces/acme/emails/inbound')).body.data.attributes
  return (body: string, at = origin): Promise<Answer> =>
    http.send({
      method: 'POST',
      url: url.replace(/^https?:\/\/[^/]+/, at),
      headers: { 'Content-Type': 'message/rfc822' },
      body,
    })
}
