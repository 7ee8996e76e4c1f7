import * as oauth from 'oauth4webapi'

export type Tokens = { readonly access: string; readonly refresh: string | undefined }

/** Plain http is for a server on this machine. */
const isLocal = ({ protocol, hostname }: URL): boolean =>
  protocol === 'http:' && ['127.0.0.1', '[::1]', 'localhost'].includes(hostname)

const tokensOf = ({ access_token: access, refresh_token: refresh }: oauth.TokenEndpointResponse): Tokens => ({
  access,
  refresh,
})

/** The requests of a public app to the authorization server, made by the certified library. */
export function authorizationServer(authUrl: string, clientId: string) {
  const issuer = new URL(authUrl)
  const options = { [oauth.allowInsecureRequests]: isLocal(issuer) }
  const client = { client_id: clientId }
  let discovered: Promise<oauth.AuthorizationServer> | undefined
  const server = (): Promise<oauth.AuthorizationServer> =>
    (discovered ??= oauth
      .discoveryRequest(issuer, options)
      .then((response) => oauth.processDiscoveryResponse(issuer, response))
      .catch((error: unknown) => {
        discovered = undefined
        throw error
      }))
  return {
    /** Where a person is sent to sign in. */
    async signInUrl(parameters: Readonly<Record<string, string>>): Promise<string> {
      const url = new URL((await server()).authorization_endpoint as string)
      const all = { response_type: 'code', client_id: clientId, code_challenge_method: 'S256', ...parameters }
      for (const [name, value] of Object.entries(all)) url.searchParams.set(name, value)
      return url.href
    },
    /** Redeems the code with which a person came back. */
    async redeem(address: URL, redirectUri: string, verifier: string, state: string): Promise<Tokens> {
      const as = await server()
      const answer = oauth.validateAuthResponse(as, client, address, state)
      const none = oauth.None()
      const grant = oauth.authorizationCodeGrantRequest(as, client, none, answer, redirectUri, verifier, options)
      return tokensOf(await oauth.processAuthorizationCodeResponse(as, client, await grant))
    },
    /** Other tokens; undefined where the session has ended. */
    async refresh(token: string): Promise<Tokens | undefined> {
      const as = await server()
      const response = await oauth.refreshTokenGrantRequest(as, client, oauth.None(), token, options)
      try {
        return tokensOf(await oauth.processRefreshTokenResponse(as, client, response))
      } catch (error) {
        if (error instanceof oauth.ResponseBodyError && error.error === 'invalid_grant') return undefined
        throw error
      }
    },
    async revoke(token: string): Promise<void> {
      const response = await oauth.revocationRequest(await server(), client, oauth.None(), token, options)
      await oauth.processRevocationResponse(response)
    },
  }
}

export type AuthorizationServer = ReturnType<typeof authorizationServer>
