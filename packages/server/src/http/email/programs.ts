import type { IncomingMessage } from 'node:http'

/**
 * The names of programs that fetch pictures for readers, scan letters, or show where a link leads: mailboxes,
 * gateways, chats and search engines. Apple Mail says nothing but the first word of every browser.
 */
const names = [
  /^mozilla\/5\.0$/,
  /googleimageproxy|yahoomailproxy|slack-imgproxy|image-?proxy/,
  /barracuda|mimecast|proofpoint|messagelabs|symantec|fireeye|sophos|forcepoint|trend ?micro|cloudmark/,
  /facebookexternalhit|whatsapp|skypeuripreview|bingpreview|google-safety|preview/,
  // A maker of telephones has the name Cubot.
  /(?<!cu)bot\b|crawler|spider|scanner/,
]

/** Headers by which browsers say that nobody looks yet. */
const purposes = ['sec-purpose', 'purpose', 'x-purpose', 'x-moz'] as const

/** Returns whether a request for what stands in a letter comes from a program, by its own account. */
export function isProgram({ method, headers }: Pick<IncomingMessage, 'method' | 'headers'>): boolean {
  // A HEAD request checks where a link leads, and does not follow it.
  if (method !== 'GET') return true
  const agent = (headers['user-agent'] ?? '').trim().toLowerCase()
  if (names.some((name) => name.test(agent))) return true
  return purposes.some((name) => /prefetch|prerender|preview/i.test(String(headers[name] ?? '')))
}
