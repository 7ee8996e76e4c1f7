import { defaultAppScopes, type signInScopes } from '@kontor/contract'
import { routes } from '../../http/oauth/routes.ts'
import { knownScopes } from './scopes.ts'
import type { OAuthServices } from './services.ts'

type Addresses = Pick<OAuthServices, 'baseUrl' | 'authUrl'>

/** The address of the MCP server, which is a resource of its own for its clients. */
const mcpResource = (baseUrl: string): string => `${new URL(baseUrl).origin}/mcp`

/** The resources that a token opens (RFC 8707). They are one: whoever may call the one may call the other. */
export const resourcesOf = (baseUrl: string): readonly string[] => [baseUrl, mcpResource(baseUrl)]

/** Scopes of apps that nobody has reviewed, such as clients of the MCP server, which request all that are listed. */
const mcpScopes = ['offline_access' satisfies keyof typeof signInScopes, ...defaultAppScopes]

/** Returns the metadata of resources by path, for clients that know only the address of one (RFC 9728 §2). */
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
