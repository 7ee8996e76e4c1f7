import { z } from 'zod'
import type { KeyRing, SealedByKey } from '../../../lib/key-ring.ts'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'
import { retiredSecrets, stillSigning } from './retired-secrets.ts'
import { newWebhookSecret } from './signature.ts'
import { listSealedByOthers, lockSealedByOthers, updateWebhook, type WebhookRow } from '../store.ts'

/** The secret of a webhook, and those before it that still sign. Until these were several, `old` was the only one. */
const secretsSchema = z.object({
  current: z.string(),
  old: z.string().nullish(),
  retired: retiredSecrets.optional(),
})

type Secrets = { readonly current: string; readonly retired: z.infer<typeof retiredSecrets> }

const placeOf = (id: string): string => `webhook.secrets:${id}`

/** The columns that hold the secrets of a webhook, encrypted. */
export function sealSecrets(keys: KeyRing, id: string, secrets: Secrets): Pick<WebhookRow, 'secrets' | 'secrets_key'> {
  const sealed: SealedByKey = keys.seal(secrets, placeOf(id))
  return { secrets: sealed, secrets_key: sealed.key }
}

type Sealed = Pick<WebhookRow, 'id' | 'secrets' | 'old_secret_until'>

export function openSecrets(keys: KeyRing, { id, secrets, old_secret_until: until }: Sealed): Secrets {
  const { current, old, retired } = secretsSchema.parse(keys.unseal(secrets, placeOf(id)))
  return { current, retired: retired ?? (old == null || until === null ? [] : [{ secret: old, until }]) }
}

/** The secrets that sign at an instant: the current one, and earlier ones during their overlap. */
export function signingSecrets(keys: KeyRing, row: Sealed, now: number): string[] {
  const { current, retired } = openSecrets(keys, row)
  return [current, ...stillSigning(retired, now).map(({ secret }) => secret)]
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

/** The columns of new secrets of a webhook. */
export const newSecrets = (keys: KeyRing, id: string): Pick<WebhookRow, 'secrets' | 'secrets_key'> =>
  sealSecrets(keys, id, { current: newWebhookSecret(), retired: [] })
