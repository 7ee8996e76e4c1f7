import { timingSafeEqual } from 'node:crypto'
import { isAppScope, isLoopbackUrl, isOwnScheme } from '@kontor/contract'
import { hashSecret, newId, newSecret } from '../../../kernel/ids.ts'
import type { ClientRow } from './store.ts'

export type NewClient = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly type: 'public' | 'confidential'
  readonly workspaceId: string | null
  readonly isSelfRegistered?: boolean
  readonly scopes: readonly string[] | null
  readonly createdBy?: string
}

const secretBytes = 32

/** Marks the secret of an app for secret scanners, as `kp_` does a personal key. */
const secretPrefix = 'kcs_'

export function newClientSecret(): { readonly secret: string; readonly secret_hash: string } {
  const secret = secretPrefix + newSecret(secretBytes)
  return { secret, secret_hash: hashSecret(secret) }
}

/** Compares a secret with its hash in constant time. */
export const isClientSecret = (secret: string, secretHash: string): boolean =>
  timingSafeEqual(Buffer.from(hashSecret(secret)), Buffer.from(secretHash))

/** The row of a new app, and its secret if it is confidential. */
export function makeClient(
  { name, redirectUris, type, workspaceId, isSelfRegistered = false, scopes, createdBy }: NewClient,
  now: number,
): { readonly row: ClientRow; readonly secret: string | undefined } {
  const made = type === 'confidential' ? newClientSecret() : undefined
  const row = {
    id: newId(now),
    name,
    client_type: type,
    secret_hash: made?.secret_hash ?? null,
    redirect_uris: redirectUris,
    created_at: now,
    workspace_id: workspaceId,
    self_registered: isSelfRegistered,
    scopes,
    created_by: createdBy ?? null,
  }
  return { row, secret: made?.secret }
}

/** The scopes in a list that open the API; any app may request the identity scopes. */
export const apiScopes = (scopes: readonly string[]): string[] => [...new Set(scopes)].filter(isAppScope)

const isOnThisDevice = (url: URL): boolean => isLoopbackUrl(url) || isOwnScheme(url)

/** Returns whether an app runs on a person's device: on its loopback address any port is allowed (RFC 8252 §7.3). */
export const isNative = ({ client_type, redirect_uris }: Pick<ClientRow, 'client_type' | 'redirect_uris'>): boolean =>
  client_type === 'public' && redirect_uris.some((uri) => isOnThisDevice(new URL(uri)))
