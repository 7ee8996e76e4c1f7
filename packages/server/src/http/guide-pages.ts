import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { Router } from 'express'
import { withAddresses, type Addresses } from './built-text.ts'
import { html, Html } from './pages/html.ts'
import { sendPage } from './pages/layout.ts'

/** The guides that the build of the docs has rendered, as pages; the files of `folder` are ours, and safe as they are. */
export function guideRoutes(folder: string, addresses: Addresses): Router {
  const router = Router({ strict: true })
  const namesOf = async () => (existsSync(folder) ? (await readdir(folder)).map((name) => name.replace(/\.html$/, '')) : [])
  const textOf = async (name: string) => withAddresses(await readFile(join(folder, `${name}.html`), 'utf8'), addresses)

  router.get('/docs/guides/', async (_request, response) => {
    const guides = await Promise.all((await namesOf()).map(async (name) => ({ name, title: titleOf(await textOf(name)) })))
    const body = html`<h1>Guides</h1>
<ul>${guides.map(({ name, title }) => html`<li><a href="${name}">${title}</a></li>`)}</ul>
<p><a href="../">The reference of the API</a></p>`
    sendPage(response, { title: 'Guides', body, wide: true })
  })

  const show = async (name: string, response: ServerResponse, next: () => void) => {
    if (!(await namesOf()).includes(name)) return next()
    const text = await textOf(name)
    const body = html`<article>${new Html(text)}</article>
<p class="soft"><a href="./">All guides</a> · <a href="../">The reference of the API</a></p>`
    sendPage(response, { title: titleOf(text), body, wide: true })
  }
  router.get('/docs/guides/:name', (request, response, next) => void show(request.params.name, response, next).then(undefined, next))
  return router
}

const titleOf = (text: string): string => /<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? 'Guide'
