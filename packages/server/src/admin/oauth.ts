import { newApp } from '@kontor/contract'
import type { z } from 'zod'
import { AdminError } from './error.ts'
import type { Database } from '../db/tx.ts'
import { isoTime, type Clock } from '../kernel/clock.ts'
import { isId } from '../kernel/ids.ts'
import { faultText } from '../kernel/parse/fault-text.ts'
import {
  apiScopes,
  deleteClient,
  findClient,
  insertClient,
  listClients,
  makeClient,
  newClientSecret,
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
  const { redirectUris: redirect_uris, ...rest } = request
  const parsed = newApp.safeParse({ ...rest, redirect_uris }, { error: faultText })
  if (!parsed.success) throw new AdminError(parsed.error.issues.map(lineOf).join('\n'))
  const { name, type, scopes } = parsed.data
  const redirectUris = [...new Set(parsed.data.redirect_uris)]
  const { row, secret } = makeClient(
    { name, type, redirectUris, workspaceId: null, scopes: scopes && apiScopes(scopes) },
    clock.now(),
  )
  await database.write((tx) => insertClient(tx, row))
  return { client_id: row.id, ...(secret !== undefined && { client_secret: secret }) }
}

const lineOf = ({ path, message }: z.core.$ZodIssue): string => `${String(path[0])}: ${message}`

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
