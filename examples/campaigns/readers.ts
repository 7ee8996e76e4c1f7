import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Letter } from '../mail-server.ts'

/** The reaction of a reader to the first e-mail. */
export type Habit = 'ignores' | 'opens' | 'clicks' | 'replies' | 'bounces' | 'unsubscribes'

/** Where the server answers, and where it takes what comes in by e-mail. */
type Address = { readonly origin: string; readonly inbound: string }

/** An e-mail that is opened sooner after its acceptance counts as opened by a scanner. */
const readsAfterMs = 6000

/** Undoes quoted-printable (RFC 2045 §6.7) for what links are made of. */
const decoded = (text: string): string =>
  text
    .replaceAll(/=\r?\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCodePoint(Number.parseInt(hex, 16)))
    .replaceAll('&amp;', '&')

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

/** Reacts to an e-mail as the mail client or the mail server of a reader does. */
export async function react(habit: Habit, letter: Letter, address: Address): Promise<void> {
  const visit = async (kind: string, init: RequestInit = {}) => {
    const { status } = await fetch(`${address.origin}${linkIn(letter, kind)}`, { redirect: 'manual', ...init })
    assert.equal(status, kind === 'click' ? 302 : 200)
  }
  const deliver = async (body: string) => {
    const headers = { 'Content-Type': 'message/rfc822' }
    assert.equal((await fetch(address.inbound, { method: 'POST', headers, body })).status, 200)
  }
  if (habit === 'opens' || habit === 'clicks') {
    await sleep(readsAfterMs)
    await visit('open')
  }
  if (habit === 'clicks') await visit('click')
  if (habit === 'replies') await deliver(reply(letter))
  if (habit === 'bounces') await deliver(bounce(letter))
  if (habit === 'unsubscribes')
    await visit('unsubscribe', { method: 'POST', body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }) })
}
