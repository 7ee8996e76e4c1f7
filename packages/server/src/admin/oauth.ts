import { appName, appRedirectUrisMax, personalScopes, redirectUriFault, scopes } from '@kontor/contract'
import { z } from 'zod'
import { AdminError, checked } from './error.ts'
import type { Database } from '../db/tx.ts'
import { isoTime, type Clock } from '../kernel/clock.ts'
import { isId } from '../kernel/ids.ts'
import {
  apiScopes,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  makeClient,
  newClientSecret,
  unknownScope,
  updateClient,
  type ClientRow,
} from '../modules/identity/oauth/index.ts'

/**
 * `confidential`: runs on a server and keeps a secret; `public`: runs in a browser or on a person's device, and uses
 * PKCE.
 */
export type ClientRequest = {
  readonly name: string
  readonly redirectUris: readonly string[]
  readonly type: 'public' | 'confidential'
  /** The API scopes that it may request; by default everything that does not outlive the consent. */
  readonly scopes?: readonly string[] | undefined
}

export type ClientSecret = { readonly client_id: string; readonly client_secret?: string }

export type ListedClient = {
  readonly client_id: string
  readonly name: string
  readonly type: ClientRow['client_type']
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly string[] | null
  readonly created_at: string
}

/** Registers an app for all workspaces: those of one workspace belong to the API. */
export async function createClient(
  { database, clock }: { readonly database: Database; readonly clock: Clock },
  request: ClientRequest,
): Promise<ClientSecret> {
  const name = checked(appName, request.name, 'The name')
  const redirectUris = checked(
    z.array(z.string().max(2000)).min(1).max(appRedirectUrisMax),
    [...new Set(request.redirectUris)],
    'The redirect URIs',
  )
  const faults = redirectUris.map((uri) => redirectUriFault(uri, request.type)).filter((fault) => fault !== undefined)
  if (faults.length > 0) throw new AdminError(`The redirect URI ${faults.join('\n')}`)
  const unknown = unknownScope(request.scopes ?? [])
  if (unknown !== undefined)
    throw new AdminError(
      `"${unknown}" is not a scope. The scopes are: ${[...scopes, ...personalScopes].join(', ')}; for records of one ` +
        'object, records:read:person and the like; and to sign in, openid.',
    )
  const { row, secret } = makeClient(
    {
      name,
      redirectUris,
      type: request.type,
      workspaceId: null,
      scopes: request.scopes === undefined ? null : apiScopes(request.scopes),
    },
    clock.now(),
  )
  await database.write((tx) => insertClient(tx, row))
  return { client_id: row.id, ...(secret !== undefined && { client_secret: secret }) }
}

export async function listedClients(database: Database): Promise<ListedClient[]> {
  const rows = await listClients(database.reader)
  return rows.map(({ id, name, client_type, redirect_uris, scopes: allowed, created_at }) => ({
    client_id: id,
    name,
    type: client_type,
    redirect_uris,
    scopes: allowed,
    created_at: isoTime(created_at),
  }))
}

export async function requireClient({ reader }: Database, clientId: string): Promise<ClientRow> {
  const client = isId(clientId) ? await findClient(reader, clientId) : undefined
  if (client === undefined) throw new AdminError(`There is no app "${clientId}".`)
  return client
}

/** Removes an app of all workspaces. */
export async function removeClient(database: Database, { id }: ClientRow, now: number): Promise<void> {
  await database.write((tx) => deleteClient(tx, id, now))
}

/** Gives an app of all workspaces a new secret. */
export async function rotateClientSecret(database: Database, client: ClientRow): Promise<ClientSecret> {
  if (client.client_type === 'public') throw new AdminError(`"${client.name}" is public: it has no secret.`)
  const { secret, secret_hash } = newClientSecret()
  await database.write((tx) => updateClient(tx, { id: client.id, secret_hash }))
  return { client_id: client.id, client_secret: secret }
}
