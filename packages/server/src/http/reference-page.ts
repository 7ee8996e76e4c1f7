import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { once } from '../kernel/once.ts'
import { withAddresses, type Addresses } from './built-text.ts'

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
