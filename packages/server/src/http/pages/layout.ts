import type { ServerResponse } from 'node:http'
import { deliver } from '../answer.ts'
import { Html, html, type Content } from '../../lib/html.ts'
import { style, styleHash } from './style.ts'

export type Page = {
  /** Stands in the tab; the page has its own heading. */
  readonly title: string
  readonly body: Content
  /** For pages that show lists. */
  readonly wide?: true
  /** The script of the page; by default none. */
  readonly script?: PageScript
  /** Where the browser goes on to by itself, at once. */
  readonly continueTo?: string
}

/** A script, and the hash by which the Content-Security-Policy knows it. */
type PageScript = { readonly element: Html; readonly hash: string }

type Sent = {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /**
   * Origins beside ours to which the answer to a form of this page may lead: Chromium asks the page for each redirect.
   */
  readonly formTargets?: readonly string[]
}

const mark = html`<svg viewBox="0 0 24 24" aria-hidden="true" focusable="false">
<rect x="2" y="2" width="20" height="20" rx="5" fill="currentColor"/>
<path d="M8 6.5v11M16 6.5 9.5 12l6.5 5.5"
  fill="none" stroke="var(--card)" stroke-width="2.25" stroke-linecap="round" stroke-linejoin="round"/>
</svg>`

// As it was hashed: nothing of it may be escaped.
const styleElement = new Html(`<style>${style}</style>`)

/** A whole page, for a person. */
export const renderPage = ({ title, body, wide, script, continueTo }: Page): string =>
  html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
${continueTo !== undefined && html`<meta http-equiv="refresh" content="0; url=${continueTo}">`}
<title>${title} · Kontor</title>
${styleElement}
</head>
<body>
<p class="brand">${mark}<span>Kontor</span></p>
<main${wide === true && html` class="wide"`}>
${body}
</main>
${script?.element}
</body>
</html>
`.text

/**
 * Nothing is loaded, framed or kept, and only the script of the page runs; forms go to us. The referrer stays here,
 * since an address may hold a one-time secret.
 */
export const pageHeaders = (formTargets: readonly string[], script?: PageScript): Record<string, string> => ({
  'Cache-Control': 'no-store',
  'Content-Security-Policy':
    `default-src 'none'; ${script === undefined ? '' : `script-src '${script.hash}'; `}style-src '${styleHash}'; ` +
    `form-action ${["'self'", ...formTargets].join(' ')}; ` +
    `frame-ancestors 'none'; base-uri 'none'`,
  'Cross-Origin-Resource-Policy': 'same-origin',
  // Not `no-referrer`, which would have browsers send the origin of our own forms as "null".
  'Referrer-Policy': 'same-origin',
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
})

export function sendPage(
  response: ServerResponse,
  page: Page,
  { status = 200, headers = {}, formTargets = [] }: Sent = {},
): void {
  if (response.headersSent || response.destroyed) return
  const text = renderPage(page)
  response.writeHead(status, {
    ...pageHeaders(formTargets, page.script),
    ...headers,
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
  })
  deliver(response, text)
}

/** Sends the browser on with a GET. */
export function redirect(response: ServerResponse, location: string): void {
  response.writeHead(303, { ...pageHeaders([]), Location: location, 'Content-Length': 0 })
  response.end()
}
