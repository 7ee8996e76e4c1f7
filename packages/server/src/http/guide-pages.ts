import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Router, type RequestHandler } from 'express'
import { once } from '../lib/once.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { withAddresses } from './built-text.ts'
import { documentOf, type SendDocument } from './document.ts'
import { html, Html } from './pages/html.ts'
import { pageHeaders, renderPage, type Page } from './pages/layout.ts'

type Guide = { readonly name: string; readonly title: string; readonly text: string }

/** The guides that the build of the docs has rendered; without a build they are left to the next handler. */
export const guideRoutes = (folder: string, addresses: PublicAddresses): Router =>
  Router({ strict: true }).get(['/docs/guides/', '/docs/guides/:name'], guidePage(folder, addresses))

/** The files of `folder` are ours, and safe as they are. */
function guidePage(folder: string, addresses: PublicAddresses): RequestHandler {
  const pages = once(async () => pagesOf(await readGuides(folder, addresses)))
  return async (request, response, next) => {
    if (!existsSync(folder)) return next()
    const sendPage = (await pages()).get(String(request.params['name'] ?? ''))
    if (sendPage === undefined) return next()
    await sendPage(request, response, pageHeaders([]))
  }
}

async function readGuides(folder: string, addresses: PublicAddresses): Promise<Guide[]> {
  const files = await readdir(folder)
  return Promise.all(
    files.map(async (file) => {
      const text = withAddresses(await readFile(join(folder, file), 'utf8'), addresses)
      return { name: file.replace(/\.html$/, ''), title: /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? 'Guide', text }
    }),
  )
}

/** Their pages by name; the one without a name lists the others. */
function pagesOf(guides: readonly Guide[]): Map<string, SendDocument> {
  const index = html`<h1>Guides</h1>
<ul>${guides.map(({ name, title }) => html`<li><a href="${name}">${title}</a></li>`)}</ul>
<p><a href="../">The reference of the API</a></p>`
  const pages: [string, Page][] = guides.map(({ name, title, text }) => {
    const body = html`<article>${new Html(text)}</article>
<p class="soft"><a href="./">All guides</a> · <a href="../">The reference of the API</a></p>`
    return [name, { title, body, wide: true }]
  })
  pages.push(['', { title: 'Guides', body: index, wide: true }])
  return new Map(
    pages.map(([name, page]) => [name, documentOf(Buffer.from(renderPage(page)), 'text/html; charset=utf-8')]),
  )
}
