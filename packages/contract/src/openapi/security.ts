import { isOpen, type Endpoint } from '../endpoint.ts'
import { describeScope, personalScopes, scopes, signInScopes } from '../scopes.ts'

/** The ways to authenticate (spec §5), as OpenAPI security schemes. */
export const securitySchemes = (authUrl: string) => ({
  apiKey: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'Authorization',
    description: 'A personal or a workspace key: `Authorization: api-key <API_KEY>`.',
  },
  apiKeyHeader: {
    type: 'apiKey' as const,
    in: 'header' as const,
    name: 'X-API-Key',
    description:
      'The key without a scheme: `X-API-Key: <API_KEY>`. For clients that cannot send our scheme; they ' +
      'can also send the key as a Bearer token.',
  },
  userToken: {
    type: 'http' as const,
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A user access token: `Authorization: Bearer <ACCESS_TOKEN>`.',
  },
  oauth: {
    type: 'oauth2' as const,
    description: 'For apps that act for a user: the authorization code flow with PKCE.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/oauth2/authorize`,
        tokenUrl: `${authUrl}/oauth2/token`,
        refreshUrl: `${authUrl}/oauth2/token`,
        scopes: Object.fromEntries(
          [...Object.keys(signInScopes), ...scopes, ...personalScopes].map((scope) => [
            scope,
            `${describeScope(scope)}.`,
          ]),
        ),
      },
    },
  },
})

/** Which of them an endpoint takes; one suffices. */
export function securityOf({ caller, scope, recordScope, openToApps }: Endpoint): Record<string, string[]>[] {
  if (isOpen({ caller })) return []
  const app =
    scope === null
      ? openToApps !== undefined && { oauth: openToApps === true ? [] : [openToApps] }
      : { oauth: [scope, ...(recordScope === undefined ? [] : [recordScope])] }
  const user = [{ userToken: [] }, ...(app === false ? [] : [app])]
  return caller === 'user' ? user : [{ apiKey: [] }, { apiKeyHeader: [] }, ...user]
}
