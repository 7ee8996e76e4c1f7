import { exportJWK, generateKeyPair } from 'jose'
import type { Tx } from '../../db/tx.ts'
import { accessTokenSeconds } from '../../kernel/access-token.ts'
import { dayMs } from '../../kernel/clock.ts'
import { newSecret } from '../../kernel/ids.ts'
import { deleteSigningKeys, insertSigningKey, listSigningKeys, type SigningKeyRow } from './store.ts'

/** A key signs for so long. */
const signsMs = 90 * dayMs

/** No token that a key has signed is valid for so long after the next one took over: as long as it lives, and as long again for nodes that had not heard. */
const overMs = 2 * accessTokenSeconds * 1000

export async function newSigningKey(now: number): Promise<SigningKeyRow> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { kid: newSecret(12), private_jwk: await exportJWK(privateKey), created_at: now }
}

/** Lets a new key sign from now on; the others stay known for what they have signed, unless nothing of theirs shall count any more. */
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

/** What keys need again and again: a successor after 90 days, and an end once everything that they signed is over. */
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
