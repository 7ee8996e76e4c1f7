import type { Logger } from 'pino'
import type { Database } from '../../db/tx.ts'
import type { Served } from '../../kernel/invoke/in-process.ts'
import { isId } from '../../kernel/ids.ts'
import { listKeysOfUser, revokeKeysOfPerson, type KeyAuthenticator } from '../../modules/identity/api-keys/index.ts'
import { Invitations } from '../../modules/identity/invitations/index.ts'
import type { KeyRing } from '../../lib/key-ring.ts'
import { hasSecondFactor, SecondFactors } from '../../modules/identity/factors/index.ts'
import { listIdentities, Providers, type SignInProvider } from '../../modules/identity/providers/index.ts'
import { Passkeys } from '../../modules/identity/passkeys/index.ts'
import { passkeyServices } from './passkeys.ts'
import { providerServices } from './providers.ts'
import { noticeSender } from './notices.ts'
import { secondFactorServices } from './second-factor.ts'
import type { Mailer } from '../../modules/mail/index.ts'
import type { Consents } from '../../modules/identity/oauth/index.ts'
import type { Issuer } from '../../modules/identity/tokens/index.ts'
import { pageApps } from './apps.ts'
import { connectedApps } from './connected-apps.ts'
import { pageKeys } from './keys.ts'
import { renamePerson } from '../../modules/identity/members/index.ts'
import {
  Accounts,
  passwordFault,
  passwordMail,
  Passwords,
  SecondStep,
  sessionMsMax,
  type SendPasswordLink,
  type Sessions,
} from '../../modules/identity/sign-in/index.ts'
import { findUser, listMembershipsOfUser } from '../../modules/identity/users/index.ts'

type Options = Served & {
  readonly sessions: Sessions
  readonly keys: KeyAuthenticator
  /** Encrypts secrets of second factors. */
  readonly keyRing: KeyRing
  /** Other providers by which people sign in. */
  readonly providers: readonly SignInProvider[]
  readonly consents: Consents
  readonly issuer: Issuer
  readonly mailer: Mailer | undefined
  readonly authUrl: string
  readonly logger: Logger
  readonly onError: (error: unknown) => void
  /** Has keys and tokens looked up again: some have been revoked. */
  readonly onAccessEnded: () => void
}

/** Creating a key requires a password entered within the last quarter of an hour. */
const recentMs = 15 * 60_000

/** Composes the functions of the pages from the modules and the API; workspaces are named by their slugs. */
export function accountServices({
  runtime,
  calls,
  sessions,
  keys,
  keyRing,
  providers,
  consents,
  issuer,
  mailer,
  authUrl,
  logger,
  onError,
  onAccessEnded,
}: Options) {
  const { database, clock } = runtime
  const apps = connectedApps(consents)
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
  return {
    sessionSeconds: sessionMsMax / 1000,
    passwords: accounts,
    invitations: new Invitations({ ...runtime, passwords, onAccessEnded }),
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
    startSession: (userId: string, userAgent: string | undefined) =>
      database.write((tx) => sessions.start(tx, userId, userAgent)),
    endSession: (token: string) => sessions.end(token),
    passwordFault,
    findAccount: (userId: string) => findAccount({ database, sessions, apps }, userId),
    rename: (userId: string, name: string) => database.write((tx) => renamePerson(tx, runtime, userId, name)),
    endOwnSession: async (userId: string, id: string) => (isId(id) ? sessions.endById(userId, id) : undefined),
    ...revokingOf(runtime, keys),
    apiUrl: runtime.baseUrl,
    /** Returns whether a password was given so short a time ago that no other person is likely to sit there. */
    isRecent: (authTime: number) => Math.abs(clock.now() - authTime) < recentMs,
    keys: pageKeys({ runtime, calls, issuer, clock }),
    workspaceApps: pageApps({ runtime, calls, issuer, clock }),
    /** A workspace of which a person is an admin. */
    findAdministered: (userId: string, slug: string) => findAdministered(database, userId, slug),
    revokeApp: (userId: string, id: string) => apps.revoke(userId, id),
  }
}

/** The functions behind the pages for people. */
export type PageAccounts = ReturnType<typeof accountServices> & {
  /** The name of the app for which a person signs in, by the path at which they continue. */
  readonly requestingApp: (returnTo: string) => Promise<string | undefined>
}

/** The result of a function that finds something for a page, such as the account of a person. */
export type Found<F extends (...given: never[]) => Promise<unknown>> = NonNullable<Awaited<ReturnType<F>>>

/** Revokes one of a person's keys, or all of them. */
const revokingOf = (runtime: Options['runtime'], keys: Options['keys']) => ({
  revokeKey: async (userId: string, id: string): Promise<void> => {
    if (!isId(id)) return
    await runtime.database.write((tx) => revokeKeysOfPerson(tx, runtime, userId, id))
    keys.forget()
  },
  revokeKeys: async (userId: string): Promise<void> => {
    await runtime.database.write((tx) => revokeKeysOfPerson(tx, runtime, userId))
    keys.forget()
  },
})

async function findAccount(
  {
    database: { reader },
    sessions,
    apps,
  }: { readonly database: Database; readonly sessions: Sessions; readonly apps: ReturnType<typeof connectedApps> },
  userId: string,
) {
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
async function findAdministered({ reader }: Database, userId: string, slug: string) {
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
