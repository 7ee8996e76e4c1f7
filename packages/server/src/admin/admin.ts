import { emailAddress, visibleText, workspaceSlug, type apiKeys, type Output, type Role } from '@kontor/contract'
import { asAdmin, asUser } from './as-member.ts'
import { AdminError, checked } from './error.ts'
import { buildIndexes, type IndexRequest, type RequestedIndex } from './indexes.ts'
import { listJobs, retryJobs, type JobList, type ListedJob } from './jobs.ts'
import {
  createClient,
  listedClients,
  removeClient,
  requireClient,
  rotateClientSecret,
  type ClientRequest,
  type ClientSecret,
  type ListedClient,
} from './oauth.ts'
import {
  listedKeys,
  listedUsers,
  listedWorkspaces,
  requireWorkspace,
  revokeKey,
  type ListedKey,
  type ListedUser,
  type ListedWorkspace,
} from './people.ts'
import { removeSecondFactor } from '../modules/identity/factors/index.ts'
import { deleteIdentities } from '../modules/identity/providers/index.ts'
import { firstPassword, hasPassword, passwordLink, putFirstPassword } from './passwords.ts'
import type { InProcessCall } from '../kernel/invoke/in-process.ts'
import { findRunningServer, readConfig, type Config } from '../config.ts'
import { authUrlOf, baseUrlOf, openConfigured } from './configured.ts'
import { eventWriter } from '../app/event-writer.ts'
import { DatabaseChangeTimes } from '../modules/events/index.ts'
import { migrateUnserved } from '../db/migrate.ts'
import type { openDatabase } from '../db/open.ts'
import type { Tx } from '../db/tx.ts'
import { systemClock, type Clock } from '../kernel/clock.ts'
import type { Telling } from '../kernel/invoke/runtime.ts'
import { defined, textOf } from '../lib/guards.ts'
import { isId, newId } from '../kernel/ids.ts'
import { fieldIndexFacts, type FieldIndexFact } from '../modules/indexes/index.ts'
import { Issuer, rotateSigningKey } from '../modules/identity/tokens/index.ts'
import { addMember } from '../modules/identity/members/index.ts'
import { builtinObjects, insertSchemas } from '../modules/schemas/index.ts'
import { findMember, findUserByEmail, insertUser, type UserRow } from '../modules/identity/users/index.ts'
import type { ClientRow } from '../modules/identity/oauth/index.ts'
import { findSlug, findWorkspace, hasWorkspaces, insertWorkspace } from '../modules/workspaces/index.ts'

export type { IndexRequest, RequestedIndex } from './indexes.ts'
export type { Background, JobList, ListedJob } from './jobs.ts'

export type KeyRequest = {
  readonly workspace: string
  /** The owner of the key, or for a workspace key the admin who creates it. */
  readonly email: string
  readonly kind: 'personal' | 'workspace'
  readonly scopes: readonly string[]
  readonly name: string
}

export type NewKey = Output<typeof apiKeys.create>
export type { ListedKey, ListedUser, ListedWorkspace } from './people.ts'
export type { ClientRequest, ClientSecret, ListedClient } from './oauth.ts'
export { ConfigError, describeConfig, readConfig, type Config } from '../config.ts'
export { distributeDatabase, migrate, migrateUnserved, migrationStatus, type MigrationStatus } from '../db/migrate.ts'
export { findUnwritable } from '../db/sqlite-read-only.ts'
export { ReadTx, Tx, type ReplicaStanding } from '../db/tx.ts'
export { authUrlOf, baseUrlOf, openConfigured } from './configured.ts'
export {
  readBackground,
  readDamage,
  readFieldIndexes,
  readMigrationStatus,
  readReplicas,
  requireConnections,
  readUnreachableNodes,
} from './reads.ts'
export { restoreConfigured, restoreInto, type RestoreOptions } from './restore.ts'
export { readDiscrepancies, verifyDatabase, type VerifiedCheck } from './verify.ts'
export type { FieldIndexFact } from '../modules/indexes/index.ts'

export type AdminWorkspace = { readonly id: string; readonly slug: string; readonly name: string }
export type AdminUser = { readonly id: string; readonly email: string; readonly role: Role }

type Person = Pick<UserRow, 'id' | 'email' | 'name'>

type AdminOptions = {
  readonly database: ReturnType<typeof openDatabase>
  readonly clock: Clock
  readonly authUrl: string
  readonly baseUrl?: string
}

const emailSchema = emailAddress

/** Administration outside the API: what must be possible before any key exists. */
export class Admin {
  readonly #database: AdminOptions['database']
  readonly #clock: Clock
  readonly #issuer: Issuer
  readonly #telling: Telling
  readonly #callers: Parameters<typeof asUser>[0]

  constructor({ database, clock, authUrl, baseUrl = `${authUrl}/v1` }: AdminOptions) {
    this.#database = database
    this.#clock = clock
    this.#issuer = new Issuer(database, clock, authUrl)
    this.#callers = { database, clock, issuer: this.#issuer, authUrl, baseUrl }
    const changeTimes = new DatabaseChangeTimes(database)
    this.#telling = { changeTimes, clock, writeEvents: eventWriter({ checkAnswers: false }) }
  }

  /** Creates a workspace with all built-in objects and its first admin, who may have an account already. */
  async createWorkspace(given: {
    slug: string
    name: string
    adminEmail: string
    adminName?: string
    adminId?: string
  }): Promise<{ workspace: AdminWorkspace; user: AdminUser }> {
    const slug = checked(workspaceSlug, given.slug, 'The slug')
    const name = checked(visibleText(200), given.name, 'The name')
    const email = checked(emailSchema, given.adminEmail, 'The e-mail address of the admin')
    const now = this.#clock.now()
    return this.#database.write(async (tx) => {
      const workspace = { id: newId(now), organization_id: newId(now), slug, name, schema_epoch: 1, created_at: now }
      if (!(await insertWorkspace(tx, workspace))) throw new AdminError(`The workspace "${slug}" already exists.`)
      const user = await this.#findOrInsertUser(tx, email, given.adminName, given.adminId)
      await insertSchemas(
        tx,
        { workspaceId: workspace.id, userId: user.id, now },
        builtinObjects.map((document) => ({ document, version: 1 })),
      )
      await this.#addMember(tx, workspace.id, user, 'admin')
      return { workspace: { id: workspace.id, slug, name }, user: { id: user.id, email, role: 'admin' as const } }
    })
  }

  /** Adds a member; an existing member is an error, not a change of role. */
  async addUser(given: {
    workspace: string
    email: string
    role: Role
    name?: string
    password?: string
    id?: string
  }): Promise<AdminUser> {
    const email = checked(emailSchema, given.email, 'The e-mail address')
    const password = given.password === undefined ? undefined : await firstPassword(given.password, email, this.#clock)
    if (password !== undefined && 'fault' in password)
      throw new AdminError(`The password is not accepted. ${password.fault}`)
    return this.#database.write(async (tx) => {
      const workspace = await findWorkspace(tx, given.workspace)
      if (workspace === undefined) throw new AdminError(`There is no workspace "${given.workspace}".`)
      const user = await this.#findOrInsertUser(tx, email, given.name, given.id)
      if ((await findMember(tx, workspace.id, user.id)) !== undefined)
        throw new AdminError(`${email} is already a member of "${given.workspace}".`)
      await this.#addMember(tx, workspace.id, user, given.role)
      const isSet = password === undefined || (await putFirstPassword(tx, user.id, password.hash, this.#clock))
      if (!isSet) throw new AdminError(`${email} already has a password. Add them without one.`)
      return { id: user.id, email, role: given.role }
    })
  }

  workspaces(): Promise<ListedWorkspace[]> {
    return listedWorkspaces(this.#database)
  }

  users(workspace: string): Promise<ListedUser[]> {
    return listedUsers(this.#database, workspace)
  }

  /** Removes a member through the API itself, so that every rule of the API applies. */
  async removeUser({ workspace: slug, email }: { readonly workspace: string; readonly email: string }): Promise<void> {
    const { id } = await this.#requireMember(slug, email)
    // The last admin requests their own removal, and gets the API's refusal.
    const isOther = (admin: ListedUser): boolean => admin.id !== id
    await asAdmin(this.#callers, slug, isOther, (call) => call('users.remove', { workspace: slug, id }))
  }

  keys(workspace: string): Promise<ListedKey[]> {
    return listedKeys(this.#database, workspace)
  }

  revokeKey({ workspace, id }: { readonly workspace: string; readonly id: string }): Promise<void> {
    return revokeKey({ database: this.#database, ...this.#telling }, workspace, id)
  }

  /** A link to set a user's password; it works once, for an hour. */
  async passwordLink(email: string): Promise<{ url: string }> {
    const url = await passwordLink(
      { database: this.#database, clock: this.#clock, authUrl: this.#callers.authUrl },
      email,
    )
    if (url === undefined) throw new AdminError(`There is no user with the e-mail address ${email}.`)
    return { url }
  }

  /** Turns the second factor of a user off, who has lost it. */
  async removeSecondFactor(email: string): Promise<void> {
    const user = await findUserByEmail(this.#database.reader, email)
    if (user === undefined) throw new AdminError(`There is no user with the e-mail address ${email}.`)
    if (!(await this.#database.write((tx) => removeSecondFactor(tx, user.id))))
      throw new AdminError(`${user.email} has no second factor.`)
  }

  /** Disconnects a user from all sign-in providers: the next sign-in there connects them again. */
  async disconnectProviders(email: string): Promise<void> {
    const user = await findUserByEmail(this.#database.reader, email)
    if (user === undefined) throw new AdminError(`There is no user with the e-mail address ${email}.`)
    if ((await this.#database.write((tx) => deleteIdentities(tx, user.id))) === 0)
      throw new AdminError(`${user.email} is not connected to a sign-in provider.`)
  }

  /** Returns whether a user can sign in with a password. */
  hasPassword(email: string): Promise<boolean> {
    return hasPassword({ database: this.#database }, email)
  }

  /** An access token that acts as a user for one hour. */
  async token(email: string): Promise<{ access_token: string; expires_in: number }> {
    const user = await findUserByEmail(this.#database.reader, email)
    if (user === undefined) throw new AdminError(`There is no user with the e-mail address ${email}.`)
    return this.#issuer.mint(user.id)
  }

  /** Creates an API key through the API itself, in the name of a member; only the answer has the secret. */
  async createKey({ workspace, email, kind, scopes, name }: KeyRequest): Promise<NewKey> {
    const { id } = await this.#requireMember(workspace, email)
    const attributes = { name, scopes, actor_type: kind === 'personal' ? 'user' : 'workspace' }
    const body = { data: { type: 'api-key', attributes } }
    return asUser(this.#callers, id, (call) => call('apiKeys.create', { workspace, body }))
  }

  /**
   * The API gives the same answer for an unknown workspace and a foreign one; a person who has the database may know.
   */
  async #requireMember(slug: string, email: string): Promise<Pick<UserRow, 'id'>> {
    const workspace = await requireWorkspace(this.#database.reader, slug)
    const user = await findUserByEmail(this.#database.reader, email)
    const member = user && (await findMember(this.#database.reader, workspace.id, user.id))
    if (member === undefined)
      throw new AdminError(
        `${email} is not a member of "${slug}". "kontor user list --workspace ${slug}" lists the members.`,
      )
    return member
  }

  /** Registers an app that may ask people for access; only the answer has its secret, if it keeps one. */
  createOAuthClient(request: ClientRequest): Promise<ClientSecret> {
    return createClient({ database: this.#database, clock: this.#clock }, request)
  }

  oauthClients(): Promise<ListedClient[]> {
    return listedClients(this.#database)
  }

  /** Removes an app, with all consents to it; that of a workspace through the API, which tells the workspace. */
  async removeOAuthClient(clientId: string): Promise<void> {
    const client = await requireClient(this.#database, clientId)
    if (client.workspace_id === null) return removeClient(this.#database, client, this.#clock.now())
    await this.#ofWorkspace(client, (call, at) => call('apps.remove', at))
  }

  /** Gives an app a new secret; the old one is invalid from now on. */
  async rotateOAuthClientSecret(clientId: string): Promise<ClientSecret> {
    const client = await requireClient(this.#database, clientId)
    if (client.workspace_id === null) return rotateClientSecret(this.#database, client)
    const { data } = await this.#ofWorkspace(client, (call, at) => call('apps.rotate', { ...at, body: {} }))
    return { client_id: data.id, client_secret: textOf(data.attributes.client_secret) }
  }

  /** Calls the API about an app of a workspace, as the admin who registered it or else another one. */
  async #ofWorkspace<T>(
    { id, workspace_id, created_by }: Pick<ClientRow, 'id' | 'workspace_id' | 'created_by'>,
    work: (call: InProcessCall, at: { readonly workspace: string; readonly id: string }) => Promise<T>,
  ): Promise<T> {
    const workspace = defined(await findSlug(this.#database.reader, textOf(workspace_id)))
    const isMaker = (admin: ListedUser): boolean => admin.id === created_by
    return asAdmin(this.#callers, workspace, isMaker, (call) => work(call, { workspace, id }))
  }

  /**
   * Makes a new key sign access tokens. The others stay valid until their tokens have expired; `dropOthers` revokes all
   * of them at once.
   */
  async rotateSigningKey(options?: Parameters<typeof rotateSigningKey>[2]): Promise<{ kid: string }> {
    return { kid: await this.#database.write((tx) => rotateSigningKey(tx, this.#clock.now(), options)) }
  }

  /** Job statistics, and the failed jobs. */
  jobs(): Promise<JobList> {
    return listJobs({ database: this.#database, clock: this.#clock })
  }

  /** Runs failed jobs again on any running server; returns those that will run. An unknown id is an error. */
  async retryJobs(ids: readonly string[] | 'all'): Promise<ListedJob[]> {
    const wrong = ids === 'all' ? undefined : ids.find((id) => !isId(id))
    if (wrong !== undefined) throw new AdminError(`"${wrong}" is not a job id.`)
    return retryJobs({ database: this.#database, clock: this.#clock }, ids)
  }

  /** The indexes that were built on demand or are being built, of all workspaces. */
  indexes(): Promise<FieldIndexFact[]> {
    return fieldIndexFacts(this.#database)
  }

  /** Has indexes of fields built, whatever the size of their object; returns those that were not there yet. */
  buildIndexes(request: IndexRequest): Promise<readonly RequestedIndex[]> {
    return buildIndexes({ database: this.#database, clock: this.#clock }, request)
  }

  /** Returns whether the database is still unused. */
  async isEmpty(): Promise<boolean> {
    return !(await hasWorkspaces(this.#database.reader))
  }

  async #findOrInsertUser(
    tx: Tx,
    email: string,
    name: string | undefined,
    id: string = newId(this.#clock.now()),
  ): Promise<Person> {
    const known = await findUserByEmail(tx, email)
    if (known !== undefined) return requireVerified(known)
    const user = { id, email, name: name ?? null, created_at: this.#clock.now(), unverified_since: null }
    await insertUser(tx, user)
    return user
  }

  #addMember(tx: Tx, workspaceId: string, person: Person, role: Role): Promise<void> {
    return addMember(tx, this.#telling, { workspaceId, person, role, invitationId: null })
  }
}

/** An account may have been created for a foreign address: access given to the address would go to its creator. */
function requireVerified(user: UserRow): UserRow {
  if (user.unverified_since === null) return user
  throw new AdminError(
    `The account of ${user.email} was created with an invitation link, and its address was never verified.\nFirst ` +
      `send them a link to choose a new password: kontor user password-link --email ${user.email}`,
  )
}

export type OpenAdmin = {
  readonly admin: Admin
  readonly database: AdminOptions['database']
  readonly close: () => Promise<void>
}

/** Opens the configured database for administration, migrated to this version. */
export async function openAdmin(config: Config = readConfig()): Promise<OpenAdmin> {
  const database = openConfigured(config)
  try {
    await migrateUnserved(database)
  } catch (error) {
    await database.close()
    throw error
  }
  // Links lead to the running server, whatever its port; settings of this process take precedence.
  const running = config.baseUrl === undefined ? findRunningServer(config.dataDir) : undefined
  const baseUrl = running?.base_url ?? baseUrlOf(config, config.port)
  const authUrl = config.authUrl ?? running?.auth_url ?? authUrlOf(config, config.port)
  const admin = new Admin({ database, clock: systemClock, authUrl, baseUrl })
  return { admin, database, close: () => database.close() }
}
