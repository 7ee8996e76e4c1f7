import { param, statement } from '../../db/statement.ts'
import type { Sealed } from '../../db/sealing.ts'
import type { ReadTx, Tx } from '../../db/tx.ts'

export type ClientRow = {
  readonly id: string
  readonly name: string
  readonly client_type: 'public' | 'confidential'
  /** Null for a public client. */
  readonly secret_hash: string | null
  readonly redirect_uris: readonly string[]
  readonly created_at: number
}

export type ConsentRow = {
  readonly user_id: string
  readonly client_id: string
  readonly scopes: readonly string[]
  readonly created_at: number
  readonly updated_at: number
  readonly last_used_at: number | null
}

type ArtifactKey = { readonly model: string; readonly id_hash: string }

export type ArtifactRow = ArtifactKey & {
  readonly grant_id: string | null
  readonly user_id: string | null
  readonly client_id: string | null
  readonly sealed: Sealed
  readonly expires_at: number
  readonly consumed_at: number | null
}

const clientColumns = ['id', 'name', 'client_type', 'secret_hash', 'redirect_uris', 'created_at'] as const
const clientById = statement<{ id: string }, ClientRow>(({ knex }) => knex('oauth_client').select(...clientColumns).where('id', param('id')))
const allClients = statement<Record<string, never>, ClientRow>(({ knex }) => knex('oauth_client').select(...clientColumns).orderBy('id'))

export const findClient = (tx: ReadTx, id: string): Promise<ClientRow | undefined> => tx.first(clientById, { id })
export const listClients = (tx: ReadTx): Promise<ClientRow[]> => tx.all(allClients, {})
export const insertClient = (tx: Tx, row: ClientRow): Promise<void> => tx.insert('oauth_client', [row])
export const updateClientSecret = (tx: Tx, id: string, secret_hash: string): Promise<void> => tx.updateByKey('oauth_client', ['id'], [{ id, secret_hash }])

/** Removes an app with every consent to it and everything that it was given; whether there was one. */
export async function deleteClient(tx: Tx, id: string): Promise<boolean> {
  await tx.change(({ knex }) => knex('oauth_artifact').where('client_id', id).delete())
  await tx.change(({ knex }) => knex('oauth_consent').where('client_id', id).delete())
  return (await tx.change(({ knex }) => knex('oauth_client').where('id', id).delete())) > 0
}

type ConsentKey = Pick<ConsentRow, 'user_id' | 'client_id'>

const consentKey = { user_id: param('user_id'), client_id: param('client_id') }
const consentColumns = ['user_id', 'client_id', 'scopes', 'created_at', 'updated_at', 'last_used_at'] as const
const consentByKey = statement<ConsentKey, ConsentRow>(({ knex }) => knex('oauth_consent').select(...consentColumns).where(consentKey))

const consentsOf = statement<{ user_id: string }, ConsentRow & { readonly name: string }>(({ knex }) =>
  knex('oauth_consent as s')
    .join('oauth_client as c', 'c.id', 's.client_id')
    .select(...consentColumns.map((column) => `s.${column}`), 'c.name')
    .where('s.user_id', param('user_id'))
    .orderBy('c.name')
    .orderBy('c.id'),
)

export const findConsent = (tx: ReadTx, key: ConsentKey): Promise<ConsentRow | undefined> => tx.first(consentByKey, key)
export const listConsents = (tx: ReadTx, userId: string): Promise<(ConsentRow & { readonly name: string })[]> => tx.all(consentsOf, { user_id: userId })
export const insertConsent = (tx: Tx, row: ConsentRow): Promise<{ client_id: string }[]> => tx.insertNew('oauth_consent', [row], ['client_id'])
export const updateConsent = (tx: Tx, row: ConsentKey & Partial<ConsentRow>): Promise<void> => tx.updateByKey('oauth_consent', ['user_id', 'client_id'], [row])

/** Takes back a consent with everything that the app was given by it. */
export async function deleteConsent(tx: Tx, key: ConsentKey): Promise<void> {
  await tx.change(({ knex }) => knex('oauth_artifact').where(key).delete())
  await tx.change(({ knex }) => knex('oauth_consent').where(key).delete())
}

const artifactKey = { model: param('model'), id_hash: param('id_hash') }

const artifactByKey = statement<ArtifactKey, ArtifactRow>(({ knex }) =>
  knex('oauth_artifact').select('model', 'id_hash', 'grant_id', 'user_id', 'client_id', 'sealed', 'expires_at', 'consumed_at').where(artifactKey),
)

const consume = statement<ArtifactKey & { now: number }, never>(({ knex }) => knex('oauth_artifact').update({ consumed_at: param('now') }).where(artifactKey).whereNull('consumed_at'))

const prolong = statement<ArtifactKey & { expires_at: number }, never>(({ knex }) =>
  knex('oauth_artifact').update({ expires_at: param('expires_at') }).where(artifactKey).where('expires_at', '<', param('expires_at')),
)

const deleteOne = statement<ArtifactKey, never>(({ knex }) => knex('oauth_artifact').where(artifactKey).delete())
const deleteByGrant = statement<{ grant_id: string }, never>(({ knex }) => knex('oauth_artifact').where('grant_id', param('grant_id')).delete())

export const findArtifact = (tx: ReadTx, key: ArtifactKey): Promise<ArtifactRow | undefined> => tx.first(artifactByKey, key)
export const insertArtifact = (tx: Tx, row: ArtifactRow): Promise<void> => tx.insert('oauth_artifact', [row])
export const deleteArtifact = (tx: Tx, key: ArtifactKey): Promise<number> => tx.run(deleteOne, key)
export const deleteArtifactsOfGrant = (tx: Tx, grantId: string): Promise<number> => tx.run(deleteByGrant, { grant_id: grantId })

/** Whether it was this call that used it up; of several at once, one. */
export const consumeArtifact = async (tx: Tx, key: ArtifactKey, now: number): Promise<boolean> => (await tx.run(consume, { ...key, now })) > 0

/** Lets something live on, if it still does. */
export const prolongArtifact = (tx: Tx, key: ArtifactKey, expiresAt: number): Promise<number> => tx.run(prolong, { ...key, expires_at: expiresAt })

/** Rows deleted at once: a few milliseconds of the one writer of SQLite. */
const portionMax = 100

const listExpired = statement<{ now: number }, ArtifactKey>(({ knex }) =>
  knex('oauth_artifact').select('model', 'id_hash').where('expires_at', '<=', param('now')).orderBy('expires_at').limit(portionMax),
)

/** Deletes what has expired; whether there may be more. */
export async function forgetArtifacts(tx: Tx, now: number): Promise<boolean> {
  const expired = await tx.all(listExpired, { now })
  await tx.deleteByKey('oauth_artifact', expired)
  return expired.length === portionMax
}
