import { z } from 'zod'
import type { Input, workflows } from '@kontor/contract'
import type { WorkspaceUpkeep } from '../../../engine/each-workspace.ts'
import type { WriteContext } from '../../../kernel/implement.ts'
import { resource } from '../../../kernel/resource.ts'
import { requireFewEarlier } from '../../../kernel/secret-overlaps.ts'
import type { ReadTx } from '../../../db/tx.ts'
import type { KeyRing, SealedByKey } from '../../../lib/key-ring.ts'
import { newWebhookSecret, retire, retiredSecrets, signatureHeaders, stillSigning } from '../../webhooks/index.ts'
import type { WebhookSender } from '../../blocks/index.ts'
import { requireChangeable } from '../../definitions/index.ts'
import { findSealed, listSealedByOthers, lockSealedByOthers, updateSealed } from './store.ts'

/**
 * The secret that a workflow signs with, and those before it that still do. Until these were several, `old` was the
 * only one.
 */
const secretsSchema = z.object({
  current: z.string(),
  old: z.string().nullish(),
  oldUntil: z.number().nullish(),
  retired: retiredSecrets.optional(),
})

type SigningSecrets = { readonly current: string; readonly retired: z.infer<typeof retiredSecrets> }

const placeOf = (id: string): string => `workflow.secret:${id}`

function open(keys: KeyRing, id: string, sealed: SealedByKey): SigningSecrets {
  const { current, old, oldUntil: until, retired } = secretsSchema.parse(keys.unseal(sealed, placeOf(id)))
  return { current, retired: retired ?? (old == null || until == null ? [] : [{ secret: old, until }]) }
}

/**
 * Signs what a workflow sends. Until it has a secret no receiver could check a signature, so it sends none,
 * but the id and the time all the same.
 */
export const workflowSigner =
  (reader: ReadTx, keys: KeyRing): WebhookSender['sign'] =>
  async ({ workspaceId, workflowId }, signed) => {
    const sealed = await findSealed(reader, workspaceId, workflowId)
    const opened = sealed && open(keys, workflowId, sealed)
    const secrets =
      opened === undefined
        ? []
        : [opened.current, ...stillSigning(opened.retired, signed.now).map(({ secret }) => secret)]
    const { 'webhook-signature': signature, ...headers } = signatureHeaders(signed, secrets)
    return secrets.length === 0 ? headers : { ...headers, 'webhook-signature': signature ?? '' }
  }

/** Gives a workflow a new secret, and answers it, this once. */
export async function rotateSigningSecret(
  ctx: WriteContext,
  keys: KeyRing,
  { id, body: { overlap_hours: overlapHours } }: Input<typeof workflows.rotateSecret>,
) {
  const { row } = await requireChangeable(ctx, id)
  const { workspaceId } = ctx.workspace
  const sealed = await findSealed(ctx.tx, workspaceId, id)
  const before = sealed && open(keys, id, sealed)
  const secret = newWebhookSecret()
  const retired = before === undefined ? [] : retire(before.retired, before.current, overlapHours, ctx.clockNow)
  requireFewEarlier(ctx, retired)
  const secrets: SigningSecrets = { current: secret, retired }
  await updateSealed(ctx.tx, workspaceId, id, keys.seal(secrets, placeOf(id)))
  await ctx.emit([{ type: 'workflow.secret_rotated', object: 'workflow', recordId: row.id, payload: {} }])
  return { body: { data: resource('workflow-secret', id, { secret }) } }
}

/** Encrypts anew what an older key has encrypted, so that it can be taken away. */
export const signingSecretUpkeep = (keys: KeyRing): WorkspaceUpkeep => ({
  due: (tx) => listSealedByOthers(tx, keys.newest),
  async batch(tx, workspaceId) {
    for (const { id, secret } of await lockSealedByOthers(tx, workspaceId, keys.newest))
      if (secret !== null) await updateSealed(tx, workspaceId, id, keys.seal(open(keys, id, secret), placeOf(id)))
    return false
  },
})
