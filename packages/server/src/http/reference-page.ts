import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { once } from '../kernel/once.ts'

/** Where people and programs find this server. */
export type Addresses = { readonly baseUrl: string; readonly authUrl: string }

/** What the build writes for the address of a server that it cannot know. */
const builtOrigin = 'http://127.0.0.1:4000'

/** Percent-encoded where it could end a text of the page. */
const safe = (url: string): string => new URL(url).href.replace(/\/$/, '').replaceAll("'", '%27')

/** Text of the build as this server sends it: with its own addresses. */
const withAddresses = (text: string, { baseUrl, authUrl }: Addresses): string =>
  text.replaceAll(`${builtOrigin}/v1`, () => safe(baseUrl)).replaceAll(builtOrigin, () => safe(authUrl))

/** The reference with the addresses of this server, made when it is first asked for; without a build it is left to the next handler. */
export function referencePage(file: string, addresses: Addresses): RequestHandler {
  const load = once(async () => {
    const page = Buffer.from(withAddresses(await readFile(file, 'utf8'), addresses))
    return { page, etag: `"${hash('sha256', page, 'base64url')}"` }
  })
  return async (_request, response, next) => {
    if (!existsSync(file)) return next()
    const { page, etag } = await load()
    response.set({ 'ETag': etag, 'Cache-Control': 'no-cache' }).type('html').send(page)
  }
}
