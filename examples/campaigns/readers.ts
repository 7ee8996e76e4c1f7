import { setTimeout as sleep } from 'node:timers/promises'
import type { Letter } from '../mail-server.ts'

/** What a reader does with the first letter. */
export type Habit = 'ignores' | 'opens' | 'clicks' | 'replies' | 'bounces' | 'unsubscribes'

/** Where the server answers now; it changes whenever the server is killed. */
type Address = () => { readonly origin: string; readonly inbound: string }

/** Undoes quoted-printable (RFC 2045 §6.7) for what links are made of. */
const decoded = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('&amp;', '&')

/** Sends a request until it is taken: the server may be away. */
async function persist(send: () => Promise<Response>): Promise<void> {
  for (;;) {
    const response = await send().catch(() => undefined)
    if (response !== undefined && response.status < 500) return
    await sleep(250)
  }
}

const linkIn = ({ text }: Letter, kind: string): string =>
  new RegExp(`/email/${kind}/[A-Za-z0-9_.~-]+`).exec(decoded(text))?.[0] ?? ''

const mail = (headers: readonly string[], body: string): string => `${headers.join('\r\n')}\r\n\r\n${body}\r\n`

const reply = ({ to, messageId }: Letter): string =>
  mail([`From: ${to}`, 'To: hello@acme.example', 'Subject: Re: Hello', `In-Reply-To: ${messageId}`], 'Yes, please.')

/** A report of a mail server that it knows no such mailbox (RFC 3464). */
const bounce = ({ to, messageId }: Letter): string =>
  mail(
    [
      'From: MAILER-DAEMON@mx.example',
      'To: hello@acme.example',
      'Subject: Undelivered',
      'MIME-Version: 1.0',
      'Content-Type: multipart/report; report-type=delivery-status; boundary="b"',
    ],
    `--b\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx\r\n\r\nFinal-Recipient: rfc822; ${to}` +
      `\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n--b\r\nContent-Type: message/rfc822\r\n\r\n` +
      `Message-ID: ${messageId}\r\n\r\nHello\r\n--b--`,
  )

/** What a mail client, or the mail server of a reader, does with a letter. */
export async function react(habit: Habit, letter: Letter, address: Address): Promise<void> {
  const visit = (kind: string, init: RequestInit = {}) =>
    persist(() => fetch(`${address().origin}${linkIn(letter, kind)}`, { redirect: 'manual', ...init }))
  const deliver = (body: string) =>
    persist(() => fetch(address().inbound, { method: 'POST', headers: { 'Content-Type': 'message/rfc822' }, body }))
  if (habit === 'opens' || habit === 'clicks') await visit('open')
  if (habit === 'clicks') await visit('click')
  if (habit === 'replies') await deliver(reply(letter))
  if (habit === 'bounces') await deliver(bounce(letter))
  if (habit === 'unsubscribes')
    await visit('unsubscribe', { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
}
