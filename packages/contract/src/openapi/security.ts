import type { Endpoint } from '../endpoint.ts'
import { scopes, type Scope } from '../scopes.ts'

/** The scopes that OpenID Connect asks for at sign-in, beside those of Kontor. */
const signInScopes = {
  openid: 'Sign in.',
  profile: 'Read the name.',
  email: 'Read the e-mail address.',
  offline_access: 'Get a refresh token.',
}

const scopeText = (scope: Scope): string => {
  const [area = '', verb = ''] = scope.split(':')
  return `${verb.charAt(0).toUpperCase()}${verb.slice(1)} ${area}.`
}

/** The three ways to authenticate (spec §5), as OpenAPI security schemes. */
export const securitySchemes = (authUrl: string) => ({
  apiKey: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Authorization',
    description: 'A personal or a workspace key: `Authorization: api-key <API_KEY>`.',
  },
  userToken: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A user access token: `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  oauth: {
    type: 'oauth2' as const,
    description: 'How an application gets a user access token: the authorization code flow with PKCE.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/oauth2/authorize`,
        tokenUrl: `${authUrl}/oauth2/token`,
        refreshUrl: `${authUrl}/oauth2/token`,
        scopes: { ...signInScopes, ...Object.fromEntries(scopes.map((scope) => [scope, scopeText(scope)])) },
      },
    },
  },
})

/** Which of them an endpoint takes; one suffices. */
export function securityOf({ caller, scope }: Endpoint): Record<string, string[]>[] {
  if (caller === 'public') return []
  const user = [{ userToken: [] }, { oauth: scope === null ? [] : [scope] }]
  return caller === 'user' ? user : [{ apiKey: [] }, ...user]
}
