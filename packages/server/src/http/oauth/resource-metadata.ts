import { defaultAppScopes, type signInScopes } from '@kontor/contract'
import { routes } from './routes.ts'
import { knownScopes } from './scopes.ts'
import type { OAuthServices } from './services.ts'

type Addresses = Pick<OAuthServices, 'baseUrl' | 'authUrl'>

/** The address of the MCP server, which is a resource of its own for its clients. */
const mcpResource = (baseUrl: string): string => `${new URL(baseUrl).origin}/mcp`

/** The resources that a token opens (RFC 8707). They are one: whoever may call the one may call the other. */
export const resourcesOf = (baseUrl: string): readonly string[] => [baseUrl, mcpResource(baseUrl)]

/** What an app may ask for that nobody has looked at, as clients of the MCP server are: they ask for all there is. */
const mcpScopes = ['offline_access' satisfies keyof typeof signInScopes, ...defaultAppScopes]

/** What tokens open, for clients that know no more than the address of a resource (RFC 9728 §2), by its path. */
export function resourceMetadata({ baseUrl, authUrl }: Addresses): ReadonlyMap<string, object> {
  const common = {
    authorization_servers: [authUrl],
    bearer_methods_supported: ['header'],
    resource_documentation: `${new URL(baseUrl).origin}/docs`,
  }
  const api = { resource: baseUrl, ...common, scopes_supported: knownScopes, resource_name: 'Kontor' }
  const resource = mcpResource(baseUrl)
  const mcp = { resource, ...common, scopes_supported: mcpScopes, resource_name: 'Kontor MCP' }
  return new Map([
    [routes.resourceMetadata, api],
    [routes.resourceMetadata + new URL(baseUrl).pathname, api],
    [routes.resourceMetadata + new URL(resource).pathname, mcp],
  ])
}
