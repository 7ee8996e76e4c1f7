import { Router, type Request, type RequestHandler } from 'express'
import { failure } from '../../kernel/errors.ts'
import { html } from '../../lib/html.ts'
import type { Exchange } from '../exchange.ts'
import { operationRoute } from '../transport.ts'
import { sendPage } from '../pages/layout.ts'
import { inboundRoute, type InboundLimiter, type InboundServices } from './inbound.ts'
import { sendFailurePage } from '../pages/visit.ts'
import { isProgram } from './programs.ts'

/** Contents of a link in an e-mail. */
type Link = { readonly workspaceId: string; readonly emailId: string; readonly url: string }

/** Facts in a request about its sender. */
type Visitor = {
  /** A program by its own account. */
  readonly isProgram: boolean
  /** The user who is signed in in the browser that sends it. */
  readonly userId: string | undefined
}

/** Services that record opens, clicks and unsubscribes. */
export type LetterServices = {
  /** Undefined of a token that was not signed for this. */
  readonly read: (kind: 'open' | 'click' | 'unsubscribe', token: string) => Link | undefined
  readonly opened: (link: Link, visitor: Visitor) => Promise<unknown>
  readonly clicked: (link: Link, visitor: Visitor) => Promise<unknown>
  readonly unsubscribed: (link: Link) => Promise<unknown>
  /** The name of the workspace that sent an e-mail; undefined if it was deleted. */
  readonly findSender: (workspaceId: string) => Promise<string | undefined>
} & InboundServices

/** A picture of one transparent point. */
const pixel = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64')

type Options = {
  readonly exchange: Exchange
  /** Of messages to one address. */
  readonly limiter: InboundLimiter
  /** The user who is signed in in a browser. */
  readonly findUser: (request: Request) => Promise<string | undefined>
}

/** The addresses in letters: the pixel, links and how to get no more. A reader who has the letter may follow them. */
export function letterRoutes(services: LetterServices, { exchange, limiter, findUser }: Options): RequestHandler {
  const router = Router()
  router.post('/inbound/:token', inboundRoute(services, exchange, limiter))
  const route = operationRoute(exchange, sendFailurePage)
  const linkOf = (kind: Parameters<LetterServices['read']>[0], { params }: Request): Link | undefined =>
    services.read(kind, String(params['token']))
  const partiesOf = async ({ workspaceId, url: address }: Link): Promise<Parties> => ({
    sender: (await services.findSender(workspaceId)) ?? 'The sender',
    address: address === '' ? 'you' : address,
  })
  const visitorOf = async (request: Request): Promise<Visitor> => ({
    isProgram: isProgram(request),
    userId: await findUser(request),
  })

  router.get(
    '/open/:token',
    route('email:open', async (request, response, headers) => {
      const link = linkOf('open', request)
      if (link !== undefined) await services.opened(link, await visitorOf(request))
      response.writeHead(200, { ...headers, ...pixelHeaders })
      response.end(pixel)
    }),
  )
  router.get(
    '/click/:token',
    route('email:click', async (request, response, headers) => {
      const link = linkOf('click', request)
      if (link === undefined) throw wrongAddress()
      await services.clicked(link, await visitorOf(request))
      response.writeHead(302, { ...headers, ...redirectHeaders, Location: headerUrl(link.url) })
      response.end()
    }),
  )
  router.get(
    '/unsubscribe/:token',
    route('email:unsubscribe', async (request, response, headers) => {
      const link = linkOf('unsubscribe', request)
      if (link === undefined) throw wrongAddress()
      sendPage(response, question(await partiesOf(link)), { headers })
    }),
  )
  router.post(
    '/unsubscribe/:token',
    route('email:unsubscribe', async (request, response, headers) => {
      const link = linkOf('unsubscribe', request)
      if (link === undefined) throw wrongAddress()
      // The body that a mail client posts adds nothing to the address (RFC 8058).
      request.resume()
      await services.unsubscribed(link)
      sendPage(response, answered(await partiesOf(link)), { headers })
    }),
  )
  return router
}

const pixelHeaders = {
  'Content-Type': 'image/gif',
  'Content-Length': pixel.length,
  'Cache-Control': 'no-store, private',
  // Letters are read on pages of others.
  'Cross-Origin-Resource-Policy': 'cross-origin',
  'X-Content-Type-Options': 'nosniff',
}

const redirectHeaders = {
  'Content-Length': 0,
  'Cache-Control': 'no-store, private',
  'Referrer-Policy': 'no-referrer',
  'X-Robots-Tag': 'noindex',
}

/** A header takes no letters beyond ASCII, and addresses in letters may have them. */
const headerUrl = (url: string): string => new URL(url).href

const wrongAddress = () =>
  failure('not_found', 'The address is wrong. Copy the complete address from the e-mail again.')

/** Nothing has changed yet: programs follow links too, to look at what they lead to. */
const question = ({ sender, address }: Parties) => ({
  title: 'Unsubscribe',
  body: html`<h1>Unsubscribe from ${sender}?</h1>
<p>${sender} will send no more e-mails to ${address}.</p>
<form method="post" novalidate>
<div class="actions"><button type="submit">Unsubscribe</button></div>
</form>`,
})

const answered = ({ sender, address }: Parties) => ({
  title: 'Unsubscribed',
  body: html`<h1>You are unsubscribed</h1>
<p>${sender} will send no more e-mails to ${address}. You can close this page.</p>`,
})

/** The sender of an e-mail and its recipient, in words. */
type Parties = { readonly sender: string; readonly address: string }
