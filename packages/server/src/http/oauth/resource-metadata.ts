import { knownScopes } from './scopes.ts'
import type { OAuthServices } from './services.ts'

/** What tokens open, for clients that know no more than the address of the API (RFC 9728 §2). */
export const resourceMetadata = ({ baseUrl, authUrl }: Pick<OAuthServices, 'baseUrl' | 'authUrl'>) => ({
  resource: baseUrl,
  authorization_servers: [authUrl],
  scopes_supported: knownScopes,
  bearer_methods_supported: ['header'],
  resource_name: 'Kontor',
  resource_documentation: `${new URL(baseUrl).origin}/docs`,
})
