import type { KoaContextWithOIDC, Provider } from 'oidc-provider'
import { resourcesOf } from './resource-metadata.ts'
import { opensApi, readScopes } from './scopes.ts'
import type { Consent, OAuthServices } from './services.ts'

type Grant = InstanceType<Provider['Grant']>

/**
 * Finds the consent of a person, given now or before: then the app gets a grant of its own for this time,
 * so that what is misused can be ended alone. Who has let it into several workspaces is asked which one this is for;
 * what was said of a workspace that they have left since counts no more.
 */
export async function grantOf(services: OAuthServices, { oidc }: KoaContextWithOIDC) {
  const { Grant } = oidc.provider
  const given = oidc.result?.consent?.grantId
  if (given !== undefined) return Grant.find(given)
  const { client, account } = oidc
  const scopes = readScopes(oidc.params?.['scope'])
  if (client === undefined || account === undefined || scopes.length === 0 || oidc.prompts.has('consent'))
    return undefined
  const consents = await services.consents.find(account.accountId, client.clientId)
  const allowed = (await inWorkspacesOf(services, account.accountId, consents)).filter((consent) =>
    scopes.every((scope) => consent.scopes.includes(scope)),
  )
  const [consent] = allowed
  if (consent === undefined || (allowed.length > 1 && opensApi(scopes))) return undefined
  const grant = newGrant(
    oidc.provider,
    services.baseUrl,
    { userId: account.accountId, clientId: client.clientId },
    { workspaceId: consent.workspaceId, scopes },
  )
  await grant.save()
  return grant
}

/** A grant that is not yet kept. Every scope counts for the tokens of the API and for OpenID Connect alike. */
export function newGrant(
  provider: Provider,
  baseUrl: string,
  { userId, clientId }: { readonly userId: string; readonly clientId: string },
  { workspaceId, scopes }: Consent,
): Grant {
  const grant = new provider.Grant({ accountId: userId, clientId })
  grant.addOIDCScope(scopes.join(' '))
  for (const resource of resourcesOf(baseUrl)) grant.addResourceScope(resource, scopes.join(' '))
  return Object.assign(grant, workspaceId !== null && { workspaceId })
}

type Bound = { readonly workspaceId?: string | null | undefined }

/**
 * Those of the things that a person has given apps for one workspace whose workspace they have not left; what is for
 * all stays.
 */
export async function inWorkspacesOf<T extends Bound>(
  { listWorkspaces }: Pick<OAuthServices, 'listWorkspaces'>,
  userId: string,
  given: readonly T[],
): Promise<T[]> {
  const bound = given.some(({ workspaceId }) => typeof workspaceId === 'string')
  const joined = new Set(bound ? (await listWorkspaces(userId)).map(({ id }) => id) : [])
  return given.filter(({ workspaceId }) => typeof workspaceId !== 'string' || joined.has(workspaceId))
}
