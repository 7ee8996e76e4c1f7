import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '@kontor/contract'
import { html } from 'hono/html'
import type { Html, Page } from './page.ts'
import { dateOf } from './page-dates.ts'

type Manifest = { readonly bugs?: { readonly url?: string } }

const manifest = JSON.parse(readFileSync(join(import.meta.dirname, '../../../../package.json'), 'utf8')) as Manifest

/** The page that describes how to report a mistake, for repositories whose address is not known. */
const reportPage = 'guides/report-a-mistake'

/** Where mistakes of a page are reported: at `bugs.url` of `package.json`, with the page named in the title. */
function reportAddress({ path }: Page, root: string): string {
  const url = manifest.bugs?.url
  if (url === undefined) return `${root}${reportPage}.html`
  const issues = new URL(url)
  issues.pathname = issues.pathname.replace(/\/issues\/?$/, '/issues/new')
  issues.searchParams.set('title', `Documentation: ${path}`)
  return issues.href
}

const months = 'January February March April May June July August September October November December'.split(' ')

function dayInWords(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-')
  return `${Number(day)} ${months[Number(month) - 1] ?? ''} ${year}`
}

/** The last line of a page: when it was last changed, where mistakes are reported, and its Markdown. */
export function foot(page: Page, root: string): Html {
  const { path, markdown } = page
  const date = dateOf(page)
  const name = path.slice(path.lastIndexOf('/') + 1)
  return html`<p class="foot">${
    date === undefined ? '' : html`<span>Last changed <time datetime="${date}">${dayInWords(date)}</time></span>`
  }
<a href="${reportAddress(page, root)}">Report a mistake</a>
${markdown === undefined ? '' : html`<a href="${name}.md">This page as Markdown</a>`}
<span>Kontor ${version}</span></p>`
}
