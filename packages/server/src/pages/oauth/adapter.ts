import { errors, Provider, type Adapter, type AdapterPayload } from 'oidc-provider'
import { isString } from '../../lib/guards.ts'
import { findDeviceCode, saveDeviceCode } from './device-codes.ts'
import { inWorkspacesOf } from './grants.ts'
import type { OAuthClient, OAuthServices } from './services.ts'

/**
 * The adapter by which the library finds clients and what it has issued; sessions are those of the pages and are
 * asked for elsewhere.
 */
export function adapterOf(services: OAuthServices): (model: string) => Adapter {
  const { artifacts, findClient, tokenLimits } = services
  return (model) => ({
    async find(id) {
      if (model === 'Grant') return findGrant(services, id)
      if (model === 'DeviceCode') return findDeviceCode(services, id)
      if (model !== 'Client') return artifacts.find(model, id)
      const client = await findClient(id)
      const { ctx } = Provider
      const waitSeconds = ctx && tokenLimits.take(ctx.req, client?.id, (name, value) => ctx.set(name, value))
      if (waitSeconds !== undefined) throw tooMany(waitSeconds)
      return client && metadataOf(client)
    },
    upsert: (id, payload, seconds) =>
      model === 'DeviceCode' ? saveDeviceCode(services, id, payload) : artifacts.save(model, id, payload, seconds ?? 0),
    /**
     * The library has looked before; of two that looked at the same time, one comes too late, and that is reuse too.
     */
    async consume(id) {
      if (await artifacts.consume(model, id)) return
      const found = await artifacts.find(model, id)
      if (typeof found?.['grantId'] === 'string') await artifacts.revokeGrant(found['grantId'])
      throw new errors.InvalidGrant('used already')
    },
    destroy: (id) => (model === 'Grant' ? artifacts.revokeGrant(id) : artifacts.destroy(model, id)),
    revokeByGrantId: (grantId) => artifacts.revokeGrant(grantId),
    findByUid: async () => undefined,
    findByUserCode: async () => undefined,
  })
}

/**
 * Finds the grant of a person to an app, unless they have left the workspace that it is for: then nothing is made of
 * it.
 */
async function findGrant(
  { artifacts, listWorkspaces }: OAuthServices,
  id: string,
): Promise<AdapterPayload | undefined> {
  const found: AdapterPayload | undefined = await artifacts.find('Grant', id)
  const { accountId, workspaceId }: Readonly<Record<string, unknown>> = found ?? {}
  if (!isString(accountId) || !isString(workspaceId)) return found
  const [standing] = await inWorkspacesOf({ listWorkspaces }, accountId, [{ workspaceId }])
  return standing && found
}

const tooMany = (waitSeconds: number): Error =>
  Object.assign(
    new errors.TemporarilyUnavailable(
      `Too many requests of this app from your network. Wait ${waitSeconds} seconds, then try again.`,
    ),
    { status: 429, statusCode: 429 },
  )

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** The hash stands in the place of the secret: the library wants one there, and asks us to compare. */
const metadataOf = ({
  id,
  name,
  secretHash,
  redirectUris,
  isNative,
  isSelfRegistered,
}: OAuthClient): AdapterPayload => ({
  client_id: id,
  client_name: name,
  redirect_uris: [...redirectUris],
  application_type: isNative ? 'native' : 'web',
  // An app that no person has looked at could ask from afar, with no address that its people see.
  grant_types: ['authorization_code', 'refresh_token', ...(isNative && !isSelfRegistered ? [deviceGrant] : [])],
  response_types: ['code'],
  ...(secretHash === null
    ? { token_endpoint_auth_method: 'none' }
    : { token_endpoint_auth_method: 'client_secret_basic', client_secret: secretHash }),
})
