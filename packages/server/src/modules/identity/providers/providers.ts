import * as client from 'openid-client'
import type { Clock } from '../../../kernel/clock.ts'
import { Failure } from '../../../kernel/errors.ts'
import { memberOf, textOf } from '../../../lib/guards.ts'
import { handled } from '../../../lib/promises.ts'
import { readSealed, type KeyRing } from '../../../lib/key-ring.ts'
import { isSubject, type ProviderIdentity } from './identities.ts'
import { isVerified } from './verified.ts'

/** A provider of OpenID Connect by which people sign in. */
export type SignInProvider = {
  /** Its name in addresses of ours, which the provider knows. */
  readonly id: string
  /** Its name on the button. */
  readonly name: string
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
}

type Options = {
  readonly providers: readonly SignInProvider[]
  readonly authUrl: string
  readonly keys: KeyRing
  readonly clock: Clock
}

/** The outcome of a sign-in at a provider; `returnTo` is the path that it began with. */
type Outcome = {
  readonly identity: ProviderIdentity
  readonly email: string
  readonly isVerified: boolean
  readonly returnTo: string | undefined
}

/** Time that a person has at the provider. */
const visitMs = 15 * 60_000

const purpose = 'sign-in.provider'

/** Time that a provider has to respond. */
const responseSeconds = 10

/** Signs people in at other providers, by the code flow with PKCE, state and nonce (docs/decisions/0357). */
export class Providers {
  readonly #options: Options
  readonly #found = new Map<string, Promise<client.Configuration>>()

  constructor(options: Options) {
    this.#options = options
  }

  get all(): readonly SignInProvider[] {
    return this.#options.providers
  }

  /** Returns where a sign-in begins, and what the browser keeps meanwhile; undefined for an unknown provider. */
  async begin(
    id: string,
    { returnTo, again }: { readonly returnTo: string | undefined; readonly again: boolean },
  ): Promise<{ readonly url: string; readonly kept: string } | undefined> {
    const provider = this.#find(id)
    if (provider === undefined) return undefined
    const [verifier, state, nonce] = [client.randomPKCECodeVerifier(), client.randomState(), client.randomNonce()]
    const url = client.buildAuthorizationUrl(await this.#configuration(provider), {
      redirect_uri: this.#callback(id),
      scope: 'openid email profile',
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      state,
      nonce,
      ...(again && { prompt: 'login' }),
    })
    const visit = { id, verifier, state, nonce, at: this.#options.clock.now(), returnTo: pathOf(returnTo) }
    const sealed = JSON.stringify(this.#options.keys.seal(visit, purpose))
    return { url: url.href, kept: Buffer.from(sealed).toString('base64url') }
  }

  /**
   * Returns the identity that a provider has confirmed; undefined if the sign-in did not begin in this browser, took
   * too long, or was refused there.
   */
  async finish(id: string, query: URLSearchParams, kept: string): Promise<Outcome | undefined> {
    const provider = this.#find(id)
    const visit = this.#read(kept)
    const age = this.#options.clock.now() - Number(memberOf(visit, 'at'))
    if (provider === undefined || memberOf(visit, 'id') !== id || !(Math.abs(age) < visitMs)) return undefined
    const configuration = await this.#configuration(provider)
    const url = new URL(this.#callback(id))
    url.search = query.toString()
    const tokens = await client
      .authorizationCodeGrant(configuration, url, {
        pkceCodeVerifier: textOf(memberOf(visit, 'verifier')),
        expectedState: textOf(memberOf(visit, 'state')),
        expectedNonce: textOf(memberOf(visit, 'nonce')),
        idTokenExpected: true,
      })
      .catch((error: unknown) => {
        if (isRefusal(error)) return undefined
        throw error
      })
    const claims = tokens?.claims()
    if (claims === undefined || !isSubject(claims.sub)) return undefined
    const { iss, sub, email, email_verified, xms_edov, hd } = claims
    const returnTo = textOf(memberOf(visit, 'returnTo'))
    return {
      identity: { issuer: iss, audience: provider.clientId, subject: sub },
      email: typeof email === 'string' ? email : '',
      isVerified: isVerified({ iss, email, email_verified, xms_edov, hd }),
      returnTo: returnTo === '' ? undefined : returnTo,
    }
  }

  #find(id: string): SignInProvider | undefined {
    return this.#options.providers.find((provider) => provider.id === id)
  }

  #callback(id: string): string {
    return `${this.#options.authUrl}/auth/provider/${id}/callback`
  }

  #read(kept: string): unknown {
    try {
      return this.#options.keys.unseal(readSealed(Buffer.from(kept, 'base64url').toString()), purpose)
    } catch {
      return undefined
    }
  }

  /** Reads the document of a provider; a failure is not remembered. */
  #configuration(provider: SignInProvider): Promise<client.Configuration> {
    const known = this.#found.get(provider.id)
    if (known !== undefined) return known
    const issuer = new URL(provider.issuer)
    const found = client.discovery(issuer, provider.clientId, provider.clientSecret, undefined, {
      timeout: responseSeconds,
      // Settings permit http only for this machine.
      ...(issuer.protocol === 'http:' && { execute: [client.allowInsecureRequests] }),
    })
    const configuration = found.catch((error: unknown) => {
      this.#found.delete(provider.id)
      throw new Failure(
        { code: 'unavailable', detail: `${provider.name} does not respond. Try again, or sign in with your password.` },
        { cause: error },
      )
    })
    this.#found.set(provider.id, handled(configuration))
    return configuration
  }
}

/** The longest path that fits into the cookie; a longer one leads to the account page. */
const pathMax = 1000

const pathOf = (returnTo = ''): string => (returnTo.length > pathMax ? '' : returnTo)

/** Returns whether the provider refused, or its response does not fit the sign-in that began here. */
const isRefusal = (error: unknown): boolean =>
  error instanceof client.AuthorizationResponseError ||
  error instanceof client.ResponseBodyError ||
  (error instanceof client.ClientError && error.code !== 'OAUTH_TIMEOUT')
