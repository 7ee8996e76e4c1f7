import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Provider } from 'oidc-provider'
import { createProvider, refusalOf } from './provider.ts'
import type { OAuthServices } from './services.ts'

type Made = { readonly kids: string; readonly provider: Provider; readonly handle: ReturnType<Provider['callback']> }

/**
 * The library for the keys of now: it takes them when it is made, so it is made anew when they change, on whichever
 * node.
 */
export class OAuthServer {
  readonly services: OAuthServices
  #made: Made | undefined

  constructor(services: OAuthServices) {
    this.services = services
  }

  async provider(): Promise<Provider> {
    return (await this.#current()).provider
  }

  /** Answers one request of the protocol; `path` is its URL below `AUTH_URL`. */
  async handle(request: IncomingMessage, response: ServerResponse, path: string): Promise<void> {
    const { handle } = await this.#current()
    const { host, protocol } = new URL(this.services.authUrl)
    // Every address that the library writes begins with AUTH_URL, whatever host the request was sent to.
    delete request.headers['x-forwarded-host']
    request.headers.host = host
    request.headers['x-forwarded-proto'] = protocol.slice(0, -1)
    Object.assign(request, { url: path, originalUrl: this.services.browser.prefix + path })
    await handle(request, response)
    const refusal = refusalOf(request)
    if (refusal !== undefined) throw refusal
  }

  async #current(): Promise<Made> {
    const keys = await this.services.signingKeys()
    const kids = keys.map(({ kid }) => kid).join(' ')
    if (this.#made?.kids !== kids) {
      const provider = createProvider(this.services, keys)
      this.#made = { kids, provider, handle: provider.callback() }
    }
    return this.#made
  }
}
