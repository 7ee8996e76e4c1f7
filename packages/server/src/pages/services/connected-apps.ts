import { describeScopes } from '../oauth/scopes.ts'
import type { Consents } from '../../modules/identity/oauth/index.ts'

/** The apps that people have connected, for the pages of their accounts. */
export const connectedApps = (consents: Consents) => ({
  /** Lists the apps with their permissions in words, for each workspace by name; null means all. */
  async list(userId: string) {
    const apps = await consents.list(userId)
    return apps.map(({ clientId, name, allowed, since, lastUsed }) => ({
      id: clientId,
      name,
      allowed: allowed.map(({ workspaceName, scopes }) => ({ where: workspaceName, what: describeScopes(scopes) })),
      grantedAt: since,
      lastUsedAt: lastUsed,
    }))
  },
  revoke: (userId: string, appId: string): Promise<void> => consents.revoke(userId, appId),
})
