import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { Router, type RequestHandler, type Response } from 'express'
import helmet from 'helmet'
import { urlBytesMax } from '@kontor/contract'
import { once } from '../lib/promises.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { documentOf, type SendDocument } from './document.ts'

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * The site that the build of the docs has written. Until there is one, requests are left to the next handler, and those
 * are always that are longer or deeper than any page.
 */
export const siteRoutes = (folder: string, addresses: PublicAddresses): Router =>
  Router({ strict: true })
    .get('/docs', (_request, response, next) => (existsSync(folder) ? response.redirect(301, 'docs/') : next()))
    .get('/docs/{*path}', siteFile(folder, addresses))

/** The page of the build for unknown addresses. */
const notFound = '404.html'

/** No page is in so many folders; each of them would be in every link of the page that says so. */
const foldersMax = 10

const foldersOf = (path: string): number => path.split('/').length - 1

/** Its links lead from the root of the site, where it is built for: from here they have to go up first. */
const sendNotFound = (response: Response, path: string, page: string): void =>
  void response
    .status(404)
    .type('html')
    .send(page.replaceAll(/ (href|src|data-root)="(?!#|[a-z]+:)/g, ` $1="${'../'.repeat(foldersOf(path))}`))

/** Each file is read when it is first asked for. A page is found with and without its ending. */
function siteFile(folder: string, addresses: PublicAddresses): RequestHandler {
  const load = once(() => filesOf(folder, addresses))
  return async (request, response, next) => {
    const path = request.path.slice('/docs/'.length)
    if (!existsSync(folder) || request.originalUrl.length > urlBytesMax || foldersOf(path) > foldersMax) return next()
    const files = await load()
    const withoutSlash = path.replace(/\/$/, '')
    if (withoutSlash !== path && files.has(`${withoutSlash}.html`))
      return response.redirect(301, `../${withoutSlash.slice(withoutSlash.lastIndexOf('/') + 1)}`)
    const read = files.get(path) ?? files.get(`${path}.html`) ?? files.get(`${path}index.html`)
    sitePolicy(request, response, () => undefined)
    if (read === undefined) return sendNotFound(response, path, await readFile(join(folder, notFound), 'utf8'))
    const sendFile = await read()
    await sendFile(request, response, {})
  }
}

/** The files of the build by path: only what is listed there can be asked for. */
async function filesOf(
  folder: string,
  addresses: PublicAddresses,
): Promise<ReadonlyMap<string, () => Promise<SendDocument>>> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  return new Map(
    found.flatMap((entry): [string, () => Promise<SendDocument>][] => {
      const type = types[extname(entry.name)]
      if (!entry.isFile() || type === undefined) return []
      const file = join(entry.parentPath, entry.name)
      const path = file.slice(folder.length + 1).replaceAll('\\', '/')
      return [
        [path, once(async () => documentOf(Buffer.from(withAddresses(await readFile(file, 'utf8'), addresses)), type))],
      ]
    }),
  )
}

/** The pages bring all that they need, and nothing in them is inline. */
const sitePolicy = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'"],
      // The forms that try an operation.
      connectSrc: ["'self'"],
      frameAncestors: ["'none'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
    },
  },
  crossOriginEmbedderPolicy: false,
})

/** Placeholder that the build of the docs writes for the unknown address of the server. */
const builtOrigin = 'http://127.0.0.1:4000'

/** Percent-encoded where it could end a text of the page. */
const safe = (url: string): string => new URL(url).href.replace(/\/$/, '').replaceAll("'", '%27')

/** Text of the build as this server sends it: with its own addresses. */
const withAddresses = (text: string, { baseUrl, authUrl }: PublicAddresses): string =>
  text.replaceAll(`${builtOrigin}/v1`, () => safe(baseUrl)).replaceAll(builtOrigin, () => safe(authUrl))
