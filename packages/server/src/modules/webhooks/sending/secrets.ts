import { z } from 'zod'
import type { KeyRing, SealedByKey } from '../../../lib/key-ring.ts'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'
import { listSealedByOthers, lockSealedByOthers, updateWebhook, type WebhookRow } from '../store.ts'

const secretsSchema = z.object({ current: z.string(), old: z.string().nullable() })

/** The secret of a webhook, and the one before it. */
type Secrets = z.infer<typeof secretsSchema>

const placeOf = (id: string): string => `webhook.secrets:${id}`

/** The columns that hold the secrets of a webhook, encrypted. */
export function sealSecrets(keys: KeyRing, id: string, secrets: Secrets): Pick<WebhookRow, 'secrets' | 'secrets_key'> {
  const sealed: SealedByKey = keys.seal(secrets, placeOf(id))
  return { secrets: sealed, secrets_key: sealed.key }
}

export const openSecrets = (keys: KeyRing, { id, secrets }: Pick<WebhookRow, 'id' | 'secrets'>): Secrets =>
  secretsSchema.parse(keys.unseal(secrets, placeOf(id)))

/** The secrets that sign at an instant: the current one, and the old one during the overlap. */
export function signingSecrets(keys: KeyRing, row: WebhookRow, now: number): string[] {
  const { current, old } = openSecrets(keys, row)
  return old !== null && (row.old_secret_until ?? 0) > now ? [current, old] : [current]
}

/** Encrypts anew what an older key has encrypted, so that it can be taken away. */
export const secretUpkeep = (keys: KeyRing): WorkspaceUpkeep => ({
  due: (tx) => listSealedByOthers(tx, { secrets_key: keys.newest }),
  async batch(tx, workspaceId) {
    for (const row of await lockSealedByOthers(tx, workspaceId, { secrets_key: keys.newest })) {
      const { workspace_id, id } = row
      await updateWebhook(tx, { workspace_id, id, ...sealSecrets(keys, id, openSecrets(keys, row)) })
    }
    return false
  },
})
