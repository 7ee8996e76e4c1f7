import type { Logger } from 'pino'
import type { Database } from '../db/tx.ts'
import type { AppView, PageAccounts } from '../http/pages/accounts.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { isId } from '../kernel/ids.ts'
import { listKeysOfUser, revokeKeysOfPerson, type KeyAuthenticator } from '../modules/identity/api-keys/index.ts'
import { Invitations } from '../modules/identity/invitations/index.ts'
import type { KeyRing } from '../lib/key-ring.ts'
import { hasSecondFactor, SecondFactors } from '../modules/identity/factors/index.ts'
import { listIdentities, Providers, type SignInProvider } from '../modules/identity/providers/index.ts'
import { Passkeys } from '../modules/identity/passkeys/index.ts'
import { passkeyServices } from './passkey-services.ts'
import { providerServices } from './provider-services.ts'
import { noticeSender } from './account-notices.ts'
import { secondFactorServices } from './second-factor-services.ts'
import type { Mailer } from '../modules/mail/index.ts'
import { renamePerson } from '../modules/identity/members/index.ts'
import {
  Accounts,
  passwordFault,
  passwordMail,
  Passwords,
  SecondStep,
  sessionMsMax,
  type SendPasswordLink,
  type Sessions,
} from '../modules/identity/sign-in/index.ts'
import { findUser, listMembershipsOfUser } from '../modules/identity/users/index.ts'

/** The apps that people have connected, and how to disconnect them. */
export type ConsentedApps = {
  readonly list: (userId: string) => Promise<readonly AppView[]>
  readonly revoke: (userId: string, appId: string) => Promise<void>
}

type Options = {
  readonly runtime: Runtime
  readonly sessions: Sessions
  readonly keys: KeyAuthenticator
  /** Encrypts secrets of second factors. */
  readonly keyRing: KeyRing
  /** Other providers by which people sign in. */
  readonly providers: readonly SignInProvider[]
  readonly apps: ConsentedApps
  readonly mailer: Mailer | undefined
  readonly authUrl: string
  readonly logger: Logger
  readonly onError: (error: unknown) => void
  readonly pageKeys: PageAccounts['keys']
  readonly pageApps: PageAccounts['workspaceApps']
  /** Has keys and tokens looked up again: some have been revoked. */
  readonly onAccessEnded: () => void
}

/** Creating a key requires a password entered within the last quarter of an hour. */
const recentMs = 15 * 60_000

/** Composes the account functions of the pages from the modules. */
export function accountServices({
  runtime,
  sessions,
  keys,
  keyRing,
  providers,
  apps,
  mailer,
  authUrl,
  logger,
  onError,
  pageKeys,
  pageApps,
  onAccessEnded,
}: Options): Omit<PageAccounts, 'requestingApp'> {
  const { database, clock } = runtime
  const passwords = new Passwords(clock)
  const factors = new SecondFactors({ database, clock, keys: keyRing })
  const notify = noticeSender(mailer, logger, onError)
  const secondStep = new SecondStep({ database, clock, keys: keyRing, sessions, factors })
  const accounts = new Accounts({
    ...runtime,
    passwords,
    sessions,
    secondStep,
    authUrl,
    sendPasswordLink: passwordLinkSender(mailer, logger),
    onError,
    onAccessEnded,
  })
  const invitations = new Invitations({ ...runtime, passwords, onAccessEnded })
  return {
    sessionSeconds: sessionMsMax / 1000,
    signIn: (...given) => accounts.signIn(...given),
    secondFactor: secondFactorServices({ runtime, factors, secondStep, notify }),
    providers: providerServices({
      runtime,
      providers: new Providers({ providers, authUrl, keys: keyRing, clock }),
      secondStep,
      onAccessEnded,
    }),
    passkeys: passkeyServices({
      runtime,
      passkeys: new Passkeys({ database, clock, keys: keyRing, authUrl }),
      sessions,
      notify,
    }),
    startSession: (userId, userAgent) => database.write((tx) => sessions.start(tx, userId, userAgent)),
    endSession: (token) => sessions.end(token),
    requestLink: (email) => accounts.requestLink(email),
    findLinkOwner: (token) => accounts.describeLinkOwner(token),
    usePasswordLink: (token, password) => accounts.usePasswordLink(token, password),
    passwordFault,
    changePassword: (...given) => accounts.changePassword(...given),
    findInvitation: (token) => invitations.find(token),
    acceptInvitation: (token, userId) => invitations.accept(token, userId),
    signUp: (token, given) => invitations.signUp(token, given),
    findAccount: (userId) => findAccount({ database, sessions, apps }, userId),
    rename: (userId, name) => database.write((tx) => renamePerson(tx, runtime, userId, name)),
    endOwnSession: async (userId, id) => (isId(id) ? sessions.endById(userId, id) : undefined),
    ...revokingOf(runtime, keys),
    apiUrl: runtime.baseUrl,
    isRecent: (authTime) => Math.abs(clock.now() - authTime) < recentMs,
    keys: pageKeys,
    workspaceApps: pageApps,
    findAdministered: (userId, slug) => findAdministered(database, userId, slug),
    revokeApp: (userId, id) => apps.revoke(userId, id),
  }
}

/** Revokes one of a person's keys, or all of them. */
const revokingOf = (
  runtime: Options['runtime'],
  keys: Options['keys'],
): Pick<PageAccounts, 'revokeKey' | 'revokeKeys'> => ({
  async revokeKey(userId, id) {
    if (!isId(id)) return
    await runtime.database.write((tx) => revokeKeysOfPerson(tx, runtime, userId, id))
    keys.forget()
  },
  async revokeKeys(userId) {
    await runtime.database.write((tx) => revokeKeysOfPerson(tx, runtime, userId))
    keys.forget()
  },
})

async function findAccount(
  {
    database: { reader },
    sessions,
    apps,
  }: { readonly database: Database; readonly sessions: Sessions; readonly apps: ConsentedApps },
  userId: string,
): ReturnType<PageAccounts['findAccount']> {
  const [user, memberships, rows, keys, consented, hasFactor, identities] = await Promise.all([
    findUser(reader, userId),
    listMembershipsOfUser(reader, userId),
    sessions.list(userId),
    listKeysOfUser(reader, userId),
    apps.list(userId),
    hasSecondFactor(reader, userId),
    listIdentities(reader, userId),
  ])
  if (user === undefined) return undefined
  return {
    email: user.email,
    name: user.name,
    memberships: memberships.map(({ workspace_name, workspace_slug, role }) => ({
      workspaceName: workspace_name,
      slug: workspace_slug,
      role,
    })),
    sessions: rows.map(({ id, user_agent, created_at, last_seen_at }) => ({
      id,
      userAgent: user_agent,
      createdAt: created_at,
      lastSeenAt: last_seen_at,
    })),
    keys: keys.map(({ id, name, key_prefix, workspace_name, last_used_at }) => ({
      id,
      name,
      prefix: key_prefix,
      workspaceName: workspace_name,
      lastUsedAt: last_used_at,
    })),
    apps: consented,
    hasSecondFactor: hasFactor,
    identities: identities.map(({ issuer, created_at }) => ({ issuer, createdAt: created_at })),
  }
}

/** Read from the database each time, so that a demoted admin loses access at once. */
async function findAdministered(
  { reader }: Database,
  userId: string,
  slug: string,
): ReturnType<PageAccounts['findAdministered']> {
  const memberships = await listMembershipsOfUser(reader, userId)
  const found = memberships.find(({ workspace_slug, role }) => workspace_slug === slug && role === 'admin')
  return found && { id: found.workspace_id, slug, name: found.workspace_name }
}

/** Sends the link by e-mail; a server without e-mail logs it for the operator. */
const passwordLinkSender = (mailer: Mailer | undefined, logger: Logger): SendPasswordLink => ({
  byMail: mailer !== undefined,
  async send(told) {
    if (mailer === undefined)
      logger.warn(told, 'a link to choose a password was requested; SMTP_URL is not set, so pass it on')
    else await mailer(passwordMail(told))
  },
})
