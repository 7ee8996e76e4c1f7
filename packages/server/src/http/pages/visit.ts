import type { IncomingMessage, ServerResponse } from 'node:http'
import { Router, type Request, type Response } from 'express'
import { isList, isRecord, isString } from '../../lib/guards.ts'
import { Failure, failure } from '../../kernel/errors.ts'
import type { HeaderSink } from '../../kernel/invoke/runtime.ts'
import { rateHeaders, type RateLimiter } from '../../kernel/rate-limit.ts'
import { failureHeaders, type SendFailure } from '../answer.ts'
import type { Exchange } from '../exchange.ts'
import { operationRoute } from '../transport.ts'
import { hasBody, readBytes } from '../body.ts'
import { addressBlock } from '../network.ts'
import type { Browser, BrowserSession } from './browser.ts'
import { csrfField } from './forms.ts'
import { html } from '../../lib/html.ts'
import { redirect, sendPage, type Page } from './layout.ts'

type Sent = Parameters<typeof sendPage>[2]

/** One visit of a page by a browser. */
export type Visit = {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  /** The signed-in person. */
  readonly session: BrowserSession | undefined
  /** For the forms of the page. */
  readonly csrf: string
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
  /** Values of the form; a repeated field has its first value. */
  readonly form: Readonly<Record<string, string>>
  readonly show: (page: Page, sent?: Sent) => void
  /** Sends the browser on to an address of ours. */
  readonly goTo: (location: string) => void
}

export type VisitHandler = (visit: Visit) => Promise<void> | void

export type PageServices = {
  readonly browser: Browser
  readonly exchange: Exchange
  /** Of forms that guess at secrets, for each address; undefined: no limit. */
  readonly rateLimiter: RateLimiter | undefined
}

/** Many times the longest form of ours. */
const formBytesMax = 16 * 1024
const fieldsMax = 50

/** Browsers say so, and send it plain. */
const formType = /^\s*application\/x-www-form-urlencoded\s*(;|$)/i

/** Where pages are put. */
export type PageRoutes = Pick<ReturnType<typeof pageRoutes>, 'get' | 'post'>

/** Routes of pages; each visit is logged, admitted and refused like a call, but told in pages. */
export function pageRoutes({ browser, exchange, rateLimiter }: PageServices) {
  const router = Router()
  const route = operationRoute(exchange, failurePage(browser.path('/auth/account')))
  return {
    router,
    get(path: string, handler: VisitHandler): void {
      router.get(
        path,
        route(`page:${path}`, async (request, response, headers) =>
          handler(await visitOf(browser, request, response, headers)),
        ),
      )
    },
    /** Everything below a path that no page has. */
    noPage(path: string): void {
      router.all(
        `${path}/*rest`,
        route(`page:${path}`, async () => {
          throw failure('not_found', 'The address is wrong, or the page no longer exists.')
        }),
      )
    },
    /** A form of ours; `limited` for those in which a secret could be guessed. */
    post(path: string, handler: VisitHandler, { limited = false }: { readonly limited?: boolean } = {}): void {
      router.post(
        path,
        route(`form:${path}`, async (request, response, headers) => {
          if (limited) limit(rateLimiter, request, headers)
          await readForm(request, response)
          const visit = await visitOf(browser, request, response, headers)
          if (Object.values(visit.form).some((value) => value.includes('\0')))
            throw failure('invalid_body', 'The form contains characters that cannot be stored.')
          if (!browser.isOurs(request, visit.form[csrfField]))
            throw failure(
              'forbidden',
              'This form was not sent from its own page, or has been open for too long. Go back, reload the ' +
                'page, and send it again.',
            )
          await handler(visit)
        }),
      )
    },
  }
}

const visitOf = async (
  browser: Browser,
  request: Request,
  response: Response,
  headers: HeaderSink,
): Promise<Visit> => ({
  request,
  response,
  session: await browser.currentSession(request),
  csrf: browser.csrfToken(request, response),
  params: Object.fromEntries(Object.entries(request.params).map(([name, value]) => [name, String(value)])),
  query: new URLSearchParams(request.url.split('?')[1] ?? ''),
  form: Object.fromEntries(
    Object.entries<unknown>(isRecord(request.body) ? request.body : {}).map(([name, value]) => {
      const first = isList(value) ? value[0] : value
      return [name, isString(first) ? first : '']
    }),
  ),
  show: (page, sent) => sendPage(response, page, { ...sent, headers: { ...headers, ...sent?.headers } }),
  goTo: (location) => redirect(response, location),
})

/** Takes a try from the caller; throws `rate_limited` if there is none left. */
function limit(rateLimiter: RateLimiter | undefined, request: Request, headers: HeaderSink): void {
  if (rateLimiter === undefined) return
  const state = rateLimiter.take(addressBlock(request.ip ?? ''))
  Object.assign(headers, rateHeaders(rateLimiter.policy, state))
  if (!state.allowed)
    throw new Failure(
      {
        code: 'rate_limited',
        detail: `Too many attempts from your network. Wait ${state.retryAfterSeconds} seconds, then try again.`,
      },
      { retryAfterSeconds: state.retryAfterSeconds },
    )
}

/** Reads a form of ours into `request.body`, each field with all its values. */
export async function readForm(request: Request, response: Response): Promise<void> {
  if (!hasBody(request) || !formType.test(request.headers['content-type'] ?? '')) return
  const fields = new URLSearchParams((await readBytes(request, response, formBytesMax, 'form')).toString())
  if (fields.size > fieldsMax) throw failure('malformed_json', `The form has more than ${fieldsMax} fields.`)
  const names = new Set(fields.keys())
  request.body = Object.fromEntries([...names].map((name) => [name, fields.getAll(name)]))
}

const titles: Readonly<Record<number, string>> = {
  403: 'That did not work',
  404: 'Page not found',
  429: 'Too many attempts',
  503: 'Too busy at the moment',
}

/** An error as a page; where there is no page, with the way to one that there is. */
const failurePage =
  (account?: string): SendFailure =>
  (_request, response, error, requestId, headers) => {
    const title = titles[error.status] ?? (error.status >= 500 ? 'Something went wrong here' : 'That did not work')
    const body = html`<h1>${title}</h1>
<p>${error.message}</p>
<p class="soft">Request ${requestId}</p>
${
  error.status === 404 &&
  account !== undefined &&
  html`<p class="beside"><a href="${account}">Go to your account</a></p>`
}`
    sendPage(response, { title, body }, { status: error.status, headers: { ...headers, ...failureHeaders(error) } })
  }

/** An error as a page, of what has pages of its own beside ours. */
export const sendFailurePage = failurePage()
