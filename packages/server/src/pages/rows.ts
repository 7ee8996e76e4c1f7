import { html, type Html } from '../lib/html.ts'

const times = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** A time as people read it. */
export const timeOf = (ms: number): string => `${times.format(ms)} UTC`

export const usedText = (lastUsedAt: number | null): string =>
  lastUsedAt === null ? 'Never used' : `Last used ${timeOf(lastUsedAt)}`

/** A list of things of which each may have buttons beside it, or that there are none. */
export const rows = (items: readonly Html[], none: string): Html =>
  items.length === 0
    ? html`<p class="soft">${none}</p>`
    : html`<ul class="rows">${items.map((item) => html`<li>${item}</li>`)}</ul>`

/** Roles as people read them. */
export const roleNames: Readonly<Record<string, string>> = { admin: 'Admin', member: 'Member', viewer: 'Viewer' }
