import http from 'node:http'
import https from 'node:https'
import { isIP, type LookupFunction } from 'node:net'
import { callbackify } from 'node:util'
import { isNamed, mayConnect, targetOf, type AllowedTargets, type Target } from './addresses.ts'
import { bodyBytesMax, exchange, type OutboundAnswer, type OutboundRequest } from './exchange.ts'
import { OutboundFailure } from './failure.ts'
import { headersFault } from './headers.ts'
import { resolveByNameServer, resolveBySystem, type Resolve } from './resolve.ts'

type OutboundOptions = {
  readonly allowed: AllowedTargets
  /** For the whole exchange, from the name to the last byte of the answer; 15 s by default. */
  readonly timeoutMs?: number
  /** Finds the addresses of names that are not opened by the operator; by default asks the name servers. */
  readonly resolve?: Resolve
}

const timeoutMsByDefault = 15_000

/**
 * Sends requests to URLs that users give (docs/decisions/0153). It connects to public addresses alone, and to those
 * that the operator has opened. An address is checked where the connection is made, so a name that resolves otherwise
 * the second time leads nowhere. Redirects are not followed, and proxies of the environment not used.
 */
export class OutboundClient {
  readonly #allowed: AllowedTargets
  readonly #timeoutMs: number
  readonly #resolve: Resolve
  // Without connections that stay open: one that a receiver closes while it is used again fails for no reason that a
  // user could see.
  readonly #agents = { 'http:': new http.Agent(), 'https:': new https.Agent() }

  constructor({ allowed, timeoutMs = timeoutMsByDefault, resolve = resolveByNameServer }: OutboundOptions) {
    this.#allowed = allowed
    this.#timeoutMs = timeoutMs
    this.#resolve = resolve
  }

  /** Returns the fault of a URL, as far as it shows without resolving the name; undefined if it has none. */
  faultOf(url: string): OutboundFailure | undefined {
    const parsed = URL.canParse(url) ? new URL(url) : undefined
    if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') return wrong('Must be an http or https URL.')
    if (parsed.username !== '' || parsed.password !== '') return wrong('Must not contain a user name or password.')
    const target = targetOf(parsed)
    const known = isIP(target.host) === 0 ? addressesOfName(target.host) : [target.host]
    if (known.length === 0 || known.some((address) => this.#isOpen(target, address))) return undefined
    return new OutboundFailure('refused_address', `The address ${target.host} is not public. ${opening}`)
  }

  /**
   * Sends a request and resolves with the answer, whatever its status. Rejects with an `OutboundFailure` where there is
   * none, and with the reason of the signal once it is aborted.
   */
  async send(request: OutboundRequest, signal?: AbortSignal): Promise<OutboundAnswer> {
    const fault = this.faultOf(request.url)
    if (fault !== undefined) throw fault
    const headerFault = headersFault(request.headers)
    if (headerFault !== undefined) throw wrong(headerFault)
    const url = new URL(request.url)
    const isSecure = url.protocol === 'https:'
    const timeout = AbortSignal.timeout(this.#timeoutMs)
    const either = signal === undefined ? timeout : AbortSignal.any([timeout, signal])
    const lookup = this.#lookup(targetOf(url), either)
    const began = isSecure
      ? https.request(url, { ...partsOf(request), agent: this.#agents['https:'], lookup })
      : http.request(url, { ...partsOf(request), agent: this.#agents['http:'], lookup })
    return exchange(began, {
      body: request.body,
      decode: request.decode,
      keptBytesMax: request.answerBytesMax ?? bodyBytesMax,
      isSecure,
      timeout,
      timeoutMs: this.#timeoutMs,
      signal,
    })
  }

  /** Resolves a name and checks each of its addresses; the connection takes what this returns, and asks no more. */
  #lookup(target: Target, signal: AbortSignal): LookupFunction {
    const find = callbackify(() => this.#addressesOf(target, signal))
    return (_, options, callback) =>
      find((error, addresses) => {
        if (error !== null) return callback(error, '')
        const found = addresses.map((address) => ({ address, family: isIP(address) }))
        return options.all === true ? callback(null, found) : callback(null, found[0]?.address ?? '', found[0]?.family)
      })
  }

  async #addressesOf(target: Target, signal: AbortSignal): Promise<readonly string[]> {
    const { host } = target
    // A name without a dot, such as localhost, is of this network, and so may be one that the operator names.
    const isOfSystem = isNamed(this.#allowed, target) || !host.includes('.')
    const addresses = await (isOfSystem ? resolveBySystem(host) : this.#resolve(host, signal)).catch(
      (error: unknown) => {
        throw unreachable(host, error)
      },
    )
    // One refused address refuses the name: otherwise it would depend on chance where a request goes.
    const refused = addresses.find((address) => !this.#isOpen(target, address))
    if (refused === undefined && addresses.length > 0) return addresses
    throw unreachable(host, refused === undefined ? 'no address' : `refused ${refused}`)
  }

  #isOpen(target: Target, address: string): boolean {
    return isNamed(this.#allowed, target) || mayConnect(this.#allowed, address)
  }
}

/**
 * A name that does not resolve, and one that resolves to an address that is not public, fail alike: otherwise anyone
 * who may set up a webhook could find out which names exist inside the operator's network, and where they lead.
 */
const unreachable = (host: string, cause: unknown): OutboundFailure =>
  new OutboundFailure('dns', `The name ${host} does not resolve to a public address. ${opening}`, cause)

const opening = 'The operator of the server can open it with WEBHOOK_ALLOWED_HOSTS.'

/** Where a name leads that is never asked of name servers (RFC 6761 §6.3). */
const addressesOfName = (host: string): readonly string[] => (/(^|\.)localhost$/.test(host) ? ['127.0.0.1', '::1'] : [])

const wrong = (message: string): OutboundFailure => new OutboundFailure('invalid_request', message)

const partsOf = ({ method, headers, body }: OutboundRequest) => ({
  method,
  headers: {
    'user-agent': 'Kontor',
    // A compressed response has no maximum size once it is decompressed.
    'accept-encoding': 'identity',
    ...headers,
    ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
  },
})
