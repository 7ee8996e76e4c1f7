import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import type { RequestHandler } from 'express'
import { once } from '../lib/once.ts'
import type { PublicAddresses } from '../lib/public-addresses.ts'
import { withAddresses } from './built-text.ts'
import { documentOf } from './document.ts'

/**
 * The reference with the addresses of this server, made when it is first asked for; without a build it is left to the
 * next handler.
 */
export function referencePage(file: string, addresses: PublicAddresses): RequestHandler {
  const load = once(async () => {
    return documentOf(Buffer.from(withAddresses(await readFile(file, 'utf8'), addresses)), 'text/html; charset=utf-8')
  })
  return async (request, response, next) => {
    if (!existsSync(file)) return next()
    const sendPage = await load()
    await sendPage(request, response, {})
  }
}
