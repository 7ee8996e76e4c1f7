import { exportJWK, generateKeyPair } from 'jose'
import type { Tx } from '../../../db/tx.ts'
import { accessTokenSeconds } from '../../../kernel/actor.ts'
import { dayMs } from '../../../kernel/clock.ts'
import { newSecret } from '../../../kernel/ids.ts'
import { deleteSigningKeys, insertSigningKey, listSigningKeys, type SigningKeyRow } from './store.ts'

/** The time for which a key signs new tokens. */
const signsMs = 90 * dayMs

/**
 * The time after its replacement for which a key can still have valid tokens: the lifetime of a token, and as long
 * again for nodes that had not yet seen the replacement.
 */
const overMs = 2 * accessTokenSeconds * 1000

export async function newSigningKey(now: number): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { kid: newSecret(12), private_jwk: await exportJWK(privateKey), created_at: now }
}

/**
 * Makes a new key the signing key. The older keys stay valid for the tokens that they signed, unless those are to be
 * revoked.
 */
export async function rotateSigningKey(
  tx: Tx,
  now: number,
  { dropOthers = false }: { readonly dropOthers?: boolean } = {},
): Promise<string> {
  if (dropOthers)
    await deleteSigningKeys(
      tx,
      (await listSigningKeys(tx)).map(({ kid }) => kid),
    )
  const key = await newSigningKey(now)
  await insertSigningKey(tx, key)
  return key.kid
}

/** Maintains the keys: rotates the signing key after 90 days, and deletes keys whose tokens have all expired. */
export async function tendSigningKeys(tx: Tx, now: number): Promise<boolean> {
  const keys = await listSigningKeys(tx)
  const established = keys.findIndex(({ created_at }) => created_at <= now - overMs)
  if (established !== -1)
    await deleteSigningKeys(
      tx,
      keys.slice(established + 1).map(({ kid }) => kid),
    )
  const [newest] = keys
  if (newest !== undefined && newest.created_at <= now - signsMs) await rotateSigningKey(tx, now)
  return false
}
