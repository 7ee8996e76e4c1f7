import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { cookieName, readCookie, setCookie } from './cookies.ts'

/** A person who is signed in in a browser. Times are milliseconds since 1970. */
export type BrowserSession = {
  readonly sessionId: string
  readonly userId: string
  /** When the password was given. */ readonly authTime: number
}

/** Where sessions are kept; the token is the secret that the cookie holds. */
type SessionStore = {
  readonly find: (token: string) => Promise<BrowserSession | undefined>
}

type Options = {
  readonly authUrl: string
  readonly sessions: SessionStore
  readonly newSecret: (bytes: number) => string
}

/** Longer than the cookies of ours: what is longer is none of them. */
const tokenMax = 100

/** A person who signs in elsewhere is back by then. */
const visitSeconds = 15 * 60

const returnToMax = 4096

/** The browser behind a request: its user, the origin of its forms, and where it may be redirected. */
export class Browser {
  /** The path of `AUTH_URL`, without a slash at its end. */
  readonly prefix: string
  /** `AUTH_URL`, without a slash at its end. */
  readonly origin: string
  readonly #options: Options
  readonly #secure: boolean
  readonly #sessionCookie: string
  readonly #formCookie: string
  readonly #visitCookie: string

  constructor(options: Options) {
    const { protocol, pathname } = new URL(options.authUrl)
    this.#options = options
    this.origin = options.authUrl.replace(/\/+$/, '')
    this.prefix = pathname.replace(/\/+$/, '')
    this.#secure = protocol === 'https:'
    this.#sessionCookie = cookieName('session', this.#secure)
    this.#formCookie = cookieName('form', this.#secure)
    this.#visitCookie = cookieName('provider', this.#secure)
  }

  /** Returns the signed-in person. Read from the database each time: signing out takes effect at once, on all nodes. */
  async currentSession(request: IncomingMessage): Promise<BrowserSession | undefined> {
    const token = this.sessionToken(request)
    return token === undefined ? undefined : this.#options.sessions.find(token)
  }

  sessionToken(request: IncomingMessage): string | undefined {
    return shortCookie(request, this.#sessionCookie)
  }

  /** Remembers who has signed in. */
  keepSession(response: ServerResponse, token: string, maxAgeSeconds: number): void {
    setCookie(response, this.#sessionCookie, { value: token, secure: this.#secure, maxAgeSeconds })
  }

  dropSession(response: ServerResponse): void {
    setCookie(response, this.#sessionCookie, { value: '', secure: this.#secure, maxAgeSeconds: 0 })
  }

  /** Keeps the state of a sign-in at another provider until the person returns; an empty text ends it. */
  keepVisit(response: ServerResponse, value: string): void {
    const maxAgeSeconds = value === '' ? 0 : visitSeconds
    setCookie(response, this.#visitCookie, { value, secure: this.#secure, maxAgeSeconds })
  }

  keptVisit(request: IncomingMessage): string {
    return readCookie(request, this.#visitCookie) ?? ''
  }

  /** Returns the token for a form of ours; bound to the browser and its user. */
  csrfToken(request: IncomingMessage, response: ServerResponse): string {
    const known = shortCookie(request, this.#formCookie)
    const secret = known ?? this.#options.newSecret(32)
    if (known === undefined) setCookie(response, this.#formCookie, { value: secret, secure: this.#secure })
    return this.#tokenOf(secret, request)
  }

  /** Returns whether a form that was sent is one of ours. */
  isOurs(request: IncomingMessage, token: unknown): boolean {
    const site = request.headers['sec-fetch-site']
    const secret = shortCookie(request, this.#formCookie)
    if (secret === undefined || typeof token !== 'string' || (site !== undefined && site !== 'same-origin'))
      return false
    const [given, expected] = [Buffer.from(token), Buffer.from(this.#tokenOf(secret, request))]
    return given.length === expected.length && timingSafeEqual(given, expected)
  }

  #tokenOf(secret: string, request: IncomingMessage): string {
    return createHmac('sha256', secret)
      .update(this.sessionToken(request) ?? '')
      .digest('base64url')
  }

  /** The address of a page of ours. */
  path(path: `/${string}`): string {
    return this.prefix + path
  }

  /** The sign-in page, from which a person goes on to a page below `AUTH_URL`; `again`: also if they are signed in. */
  signInUrl(returnTo: string, { again = false }: { readonly again?: boolean } = {}): string {
    return `${this.path('/auth/sign-in')}?return_to=${encodeURIComponent(returnTo)}${again ? '&again=1' : ''}`
  }

  /**
   * The path to go on to, where it lies below `AUTH_URL`; anything else would let a link of ours lead to a foreign
   * page.
   */
  returnTo(given: unknown): string | undefined {
    if (typeof given !== 'string' || given.length > returnToMax || !given.startsWith('/')) return undefined
    const base = new URL(this.#options.authUrl)
    if (!URL.canParse(given, base.href)) return undefined
    const { origin, pathname, search } = new URL(given, base)
    // A path may come out with two slashes, `/.//host` for one, and would then be read as the name of a host.
    return origin === base.origin && pathname.startsWith(`${this.prefix}/`) && !pathname.startsWith('//')
      ? pathname + search
      : undefined
  }
}

function shortCookie(request: IncomingMessage, name: string): string | undefined {
  const value = readCookie(request, name)
  return value === undefined || value === '' || value.length > tokenMax ? undefined : value
}
