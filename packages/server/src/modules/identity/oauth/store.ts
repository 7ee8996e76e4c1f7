import type { RowOf } from '../../../db/columns.ts'
import { shortList, type ListReader } from '../../../db/short-list.ts'
import { columnsOf, lister, rowsOf, readColumn } from '../../../db/rows.ts'
import { param, statement } from '../../../db/statement.ts'
import type { Sealed } from '../../../lib/sealing.ts'
import type { ReadTx, Tx } from '../../../db/tx.ts'
import { checkEndings } from '../endings/index.ts'

/**
 * An app. `secret_hash` is null for a public client; `workspace_id` is the workspace that the app belongs to and whose
 * members alone may use it, null for one of all workspaces; `scopes` are the API scopes that it may request, null for
 * everything that a registration need not name; `self_registered` tells that no operator and no admin has looked at it;
 * `created_by` is the admin who registered it, null for any other.
 */
export type ClientRow = RowOf<'oauth_client'> & {
  readonly client_type: 'public' | 'confidential'
  readonly redirect_uris: readonly string[]
  readonly scopes: readonly string[] | null
}

/** Stands in the key of a consent for all workspaces of the person, including future ones. */
export const everyWorkspace = '00000000-0000-0000-0000-000000000000'

/** A consent; `workspace_id` is the one workspace that the app may enter, or `everyWorkspace`. */
export type ConsentRow = RowOf<'oauth_consent'> & { readonly scopes: readonly string[] }

type ArtifactKey = Pick<RowOf<'oauth_artifact'>, 'model' | 'id_hash'>

/** A code, token or grant of an app. The `workspace_id` of a grant is its one workspace; null is every one. */
export type ArtifactRow = RowOf<'oauth_artifact'> & { readonly sealed: Sealed }

const clientColumns = columnsOf('oauth_client')
const clients = rowsOf<ClientRow>('oauth_client', clientColumns)

export const findClient = clients.find('id')

export const listClients = clients.list([], 'id')

const peopleOf = statement<{ workspace_id: string }, { client_id: string; people: number }>(({ knex }) =>
  knex('oauth_consent as s')
    .join('membership as m', { 'm.workspace_id': 's.workspace_id', 'm.user_id': 's.user_id' })
    .select('s.client_id')
    .countDistinct('s.user_id as people')
    .where('s.workspace_id', param('workspace_id'))
    .groupBy('s.client_id'),
)

/** The apps that one of its admins has registered for a workspace, by name. */
export const listClientsBy = clients.list(['workspace_id', 'created_by'], 'name', 'id')

/** The list of the apps that a workspace has registered. */
export const clientsIn = (workspaceId: string): ListReader<ClientRow> =>
  shortList({
    from: ({ knex }) => knex('oauth_client').where('workspace_id', workspaceId),
    columns: clientColumns,
    id: 'id',
  })

/** Returns how many members have connected each app to this workspace only. */
export async function countPeople(tx: ReadTx, workspaceId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await tx.all(peopleOf, { workspace_id: workspaceId })
  return new Map(rows.map(({ client_id, people }) => [client_id, people]))
}

/** Finds an app of a workspace and locks it until the transaction ends. */
export const lockClientOf = clients.lock('delete', 'workspace_id', 'id')

/** Inserts an app; false if the workspace has an app of this name, even one of this moment. */
export const insertClient = clients.insertNew

export const updateClient = clients.update('id')

/** The workspaces that some apps have been let into, by one person or by all. */
async function listConsentedWorkspaces(tx: Tx, key: Partial<ConsentsKey>): Promise<string[]> {
  const of = Object.fromEntries(Object.entries(key).map(([column, value]) => [`s.${column}`, value]))
  return readColumn(tx, ({ knex }) =>
    knex('oauth_consent as s')
      .join('membership as m', 'm.user_id', 's.user_id')
      .distinct('m.workspace_id')
      .where(of)
      .where((either) => {
        either.where('s.workspace_id', everyWorkspace).orWhere('s.workspace_id', knex.ref('m.workspace_id'))
      }),
  )
}

/** Deletes an app with every consent to it and everything issued to it; returns whether it existed. */
export async function deleteClient(tx: Tx, id: string, now: number): Promise<boolean> {
  await checkEndings(tx, await listConsentedWorkspaces(tx, { client_id: id }), now)
  tx.publish('access')
  await tx.change(({ knex }) => knex('oauth_artifact').where('client_id', id).delete())
  await tx.change(({ knex }) => knex('oauth_consent').where('client_id', id).delete())
  return (await tx.change(({ knex }) => knex('oauth_client').where('id', id).delete())) > 0
}

type ConsentKey = Pick<ConsentRow, 'user_id' | 'client_id' | 'workspace_id'>
type ConsentsKey = Pick<ConsentRow, 'user_id' | 'client_id'>

const consentsKey = { user_id: param('user_id'), client_id: param('client_id') }
const consentColumns = columnsOf('oauth_consent')

const consents = rowsOf<ConsentRow>('oauth_consent', consentColumns)

/** A consent as its person sees it; without a workspace it covers all of them. */
export type ToldConsent = ConsentRow & { readonly name: string; readonly workspace_name: string | null }

export const listConsents = lister<[userId: string], ToldConsent>(({ knex }, userId) =>
  knex('oauth_consent as s')
    .join('oauth_client as c', 'c.id', 's.client_id')
    .leftJoin('workspace as w', 'w.id', 's.workspace_id')
    .select(...consentColumns.map((column) => `s.${column}`), 'c.name', 'w.name as workspace_name')
    .where('s.user_id', userId)
    .orderBy('c.name')
    .orderBy('c.id')
    .orderBy('w.name'),
)

const noteUse = statement<ConsentKey & { now: number }, never>(({ knex }) =>
  knex('oauth_consent')
    .update({ last_used_at: param('now') })
    .where({ ...consentsKey, workspace_id: param('workspace_id') }),
)

/** The consents of a person to an app, one for each workspace that they let it into. */
export const listConsentsTo = consents.list(['user_id', 'client_id'], 'workspace_id')

/** Returns whether a person lets an app into a workspace. */
export const isConsented = async (
  tx: ReadTx,
  {
    userId,
    clientId,
    workspaceId,
  }: { readonly userId: string; readonly clientId: string; readonly workspaceId: string },
): Promise<boolean> =>
  (await listConsentsTo(tx, userId, clientId)).some(
    ({ workspace_id }) => workspace_id === workspaceId || workspace_id === everyWorkspace,
  )

export const insertConsent = (tx: Tx, row: ConsentRow): Promise<{ client_id: string }[]> =>
  tx.insertNew('oauth_consent', [row], ['client_id'])

export const updateConsent = consents.update('user_id', 'client_id', 'workspace_id')

export const noteConsentUse = (tx: Tx, key: ConsentKey, now: number): Promise<number> =>
  tx.run(noteUse, { ...key, now })

/** Returns whether a consent exists, and keeps it until the transaction ends. */
export async function holdConsent(tx: Tx, key: ConsentKey): Promise<boolean> {
  const rows = await tx.query(({ knex, dialect }) =>
    dialect.locked(knex('oauth_consent').select('client_id').where(key), 'refer'),
  )
  return rows.length > 0
}

/** Revokes a person's consents to an app, or to all apps if none is given, with everything issued under them. */
export async function deleteConsents(
  tx: Tx,
  key: { readonly user_id: string; readonly client_id?: string },
  now: number,
): Promise<void> {
  await checkEndings(tx, await listConsentedWorkspaces(tx, key), now)
  tx.publish('access')
  await tx.change(({ knex }) => knex('oauth_artifact').where(key).delete())
  await tx.change(({ knex }) => knex('oauth_consent').where(key).delete())
}

const artifactKey = { model: param('model'), id_hash: param('id_hash') }

const artifactColumns = columnsOf('oauth_artifact')

const artifacts = rowsOf<ArtifactRow>('oauth_artifact', artifactColumns)

export const findArtifact = artifacts.findByKey('model', 'id_hash')

export const deleteArtifact = (tx: Tx, { model, id_hash }: ArtifactKey): Promise<void> =>
  tx.deleteByKey('oauth_artifact', [{ model, id_hash }])

export const deleteArtifactsOfGrant = artifacts.remove('grant_id')

const consume = statement<ArtifactKey & { now: number }, never>(({ knex }) =>
  knex('oauth_artifact')
    .update({ consumed_at: param('now') })
    .where(artifactKey)
    .whereNull('consumed_at'),
)

const prolong = statement<ArtifactKey & { expires_at: number }, never>(({ knex }) =>
  knex('oauth_artifact')
    .update({ expires_at: param('expires_at') })
    .where(artifactKey)
    .where('expires_at', '<', param('expires_at')),
)

export const insertArtifact = (tx: Tx, row: ArtifactRow): Promise<{ model: string }[]> =>
  tx.insertNew('oauth_artifact', [row], ['model'])
/** Consumes an artifact; of several concurrent calls only one returns true. */
export const consumeArtifact = async (tx: Tx, key: ArtifactKey, now: number): Promise<boolean> =>
  (await tx.run(consume, { ...key, now })) > 0

/** Replaces an artifact's value, under the same secret. */
export const resealArtifact = (tx: Tx, { model, id_hash }: ArtifactKey, sealed: Sealed): Promise<void> =>
  tx.updateByKey('oauth_artifact', ['model', 'id_hash'], [{ model, id_hash, sealed }])

/** Extends the expiry of an artifact that has not expired. */
export const prolongArtifact = (tx: Tx, key: ArtifactKey, expiresAt: number): Promise<number> =>
  tx.run(prolong, { ...key, expires_at: expiresAt })

/** The time for which an app that registered itself waits for its first person. */
const unusedMs = 7 * 86_400_000

/** Rows deleted in one batch: a few milliseconds of the one writer of SQLite. */
const batchMax = 100

const listExpired = statement<{ now: number }, ArtifactKey>(({ knex }) =>
  knex('oauth_artifact')
    .select('model', 'id_hash')
    .where('expires_at', '<=', param('now'))
    .orderBy('expires_at')
    .limit(batchMax),
)

/** Deletes expired artifacts; returns whether there may be more. */
export async function forgetArtifacts(tx: Tx, now: number): Promise<boolean> {
  const expired = await tx.all(listExpired, { now })
  await tx.deleteByKey('oauth_artifact', expired)
  return expired.length === batchMax
}

const listUnused = statement<{ before: number }, Pick<ClientRow, 'id'>>(({ knex }) =>
  knex('oauth_client as c')
    .select('c.id')
    .where('c.self_registered', true)
    .where('c.created_at', '<', param('before'))
    .whereNotExists(knex('oauth_consent as s').select('s.client_id').where('s.client_id', knex.ref('c.id')))
    .orderBy('c.created_at')
    .limit(batchMax),
)

/** Deletes apps that registered themselves and that no person has let in since; returns whether there may be more. */
export async function forgetUnusedClients(tx: Tx, now: number): Promise<boolean> {
  const unused = await tx.all(listUnused, { before: now - unusedMs })
  for (const { id } of unused) await deleteClient(tx, id, now)
  return unused.length === batchMax
}
