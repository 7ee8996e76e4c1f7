import { Admin } from '@kontor/server/admin'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createTRPCClient, httpLink } from '@trpc/client'
import type { AppRouter } from '@kontor/contract/trpc'
import { createApp, purging, type App, type AppOptions } from '@kontor/server'
import { atEnd } from './at-end.ts'
import { apiOf, authorizationOf, type Credentials } from './api.ts'
import { migrateAt, migratedDatabase, openAt, type TestDatabase } from './database.ts'
import { heldScansOf } from './held-scans.ts'
import { httpClient } from './http.ts'
import { indexesOf } from './indexes.ts'
import { lastAttemptOf, loseWorkerOf, quietOf, schemaJobsOf, settledOf } from './jobs.ts'
import { errorLog } from './log.ts'
import { mentionsOf } from './mentions.ts'
import { oauthOf } from './oauth.ts'
import { eventIdsOf, eventsOf, numberedOf, storedAnswersOf, untilIdle } from './outbox.ts'
import { addMember, addWorkspace, people, restoreMembers, seedKeys, seedPeople, type Caller } from './people.ts'
import {
  commentsByTextOf,
  createdRecordsOf,
  linkFaultsOf,
  linksAmongOf,
  linksOf,
  remainsOf,
  versionsOf,
} from './rows.ts'
import { scratchFolder } from './scratch.ts'
import {
  countersOf,
  recordVersionsOf,
  replaceKeyOf,
  rowsOf,
  searchIndexedOf,
  signInRowsOf,
  workspaceIdOf,
} from './stored.ts'
import { tableFaultsOf } from './table-faults.ts'
import { verifyAtEnd } from './verification.ts'

type Options = Partial<
  Pick<
    AppOptions,
    | 'rateLimitPerMinute'
    | 'fieldIndexThreshold'
    | 'outsideIssuer'
    | 'signInProviders'
    | 'requestsMax'
    | 'streams'
    | 'corsOrigins'
    | 'metricsToken'
    | 'signInsPerMinute'
    | 'oauthRegistrationsPerHour'
    | 'trustedProxies'
    | 'mail'
    | 'mailReplyTo'
    | 'workflowEmailsPerDay'
    | 'ai'
    | 'notetaker'
    | 'authUrl'
    | 'baseUrl'
    | 'webhookAllowedHosts'
    | 'encryptionKeys'
    | 'files'
  >
> & {
  /** An empty database elsewhere than in the cluster of the run; its maker removes it. */
  readonly databaseUrl?: string
  /** Another app, to stand beside it as a second node on its database. */
  readonly beside?: { readonly databaseUrl: string; readonly credentials: Credentials; readonly filesFolder?: string }
  /** The clock that never jumps stands still, but for `wait`: nothing fills while a slow machine works. */
  readonly standingStill?: boolean
  /** Ends statements earlier or later than a server does by default. */
  readonly statementTimeoutMs?: number
  /** Postgres itself, where the database's URL leads to a pooler that shares connections. */
  readonly listenUrl?: string
  /** Standbys that serve reads, and how far they may lag. */
  readonly replicas?: { readonly urls: readonly string[]; readonly lagMs: number }
}

export type TestApp = Awaited<ReturnType<typeof startApp>>

/**
 * The whole app on a free port, with a database of its own and two workspaces with people and keys. It ends after the
 * file, which fails if anything unexpected was logged: no test passes over a 500.
 */
export async function startApp({
  databaseUrl,
  beside,
  standingStill = false,
  statementTimeoutMs,
  replicas,
  listenUrl,
  ...options
}: Options = {}) {
  const elsewhere = beside?.databaseUrl ?? databaseUrl
  const scratch = elsewhere === undefined ? await migratedDatabase() : { url: elsewhere, remove: async () => {} }
  if (databaseUrl !== undefined) await migrateAt(listenUrl ?? databaseUrl)
  const database = openAt(scratch.url, {
    ...(statementTimeoutMs !== undefined && { STATEMENT_TIMEOUT_MS: String(statementTimeoutMs) }),
    ...(listenUrl !== undefined && { DATABASE_LISTEN_URL: listenUrl }),
    ...(replicas && { DATABASE_READ_URL: replicas.urls.join(','), READ_LAG_MS: String(replicas.lagMs) }),
  })
  const log = errorLog()
  const server = createServer({ keepAliveTimeout: 65_000 })
  const origin = `http://127.0.0.1:${await listen(server)}`
  const baseUrl = `${origin}/v1`
  let aheadMs = 0
  let waitedMs = 0
  let stoppedAt: number | undefined
  const clock = {
    now: () => stoppedAt ?? Date.now() + aheadMs,
    monotonicMs: () => (standingStill ? 1 : performance.now()) + waitedMs,
  }
  const filesFolder = beside?.filesFolder ?? (await scratchFolder())
  const app = createApp({
    rateLimitPerMinute: 0,
    fieldIndexThreshold: 20_000,
    files: { folder: filesFolder, bytesMax: 1024 * 1024 },
    encryptionKeys: ['a key of at least thirty-two characters'],
    webhookAllowedHosts: ['127.0.0.1'],
    checkAnswers: true,
    ...options,
    database,
    clock,
    logger: log.logger,
    baseUrl: options.baseUrl ?? baseUrl,
    authUrl: options.authUrl ?? origin,
  })
  server.on('request', app.listener)
  let jobs: Promise<void> | undefined
  const startJobs = (): Promise<void> => (jobs ??= app.runner.start())
  const http = httpClient()
  const credentials: Credentials = beside?.credentials ?? {
    cast: await seedPeople({ database, clock, authUrl: origin }),
    keys: {},
  }
  const api = apiOf(http, baseUrl, credentials)
  if (beside === undefined) Object.assign(credentials.keys, await seedKeys(api.post))
  const schemaJobs = schemaJobsOf(database)
  /** Moves the app's clock on, and signs all users in again. */
  const advance = async (ms: number) => {
    aheadMs += ms
    for (const person of people)
      credentials.cast.tokens[person] = (await app.issuer.mint(credentials.cast.userIds[person])).access_token
  }
  const wait = (ms: number) => void (waitedMs += ms)
  const close = async () => {
    http.close()
    await app.endStreams()
    await app.runner.stop(jobsEndMs)
    app.pool.close()
    await verifyAtEnd({ database, clock })
    await stop(server, database)
    await scratch.remove()
    log.assertEmpty()
  }
  atEnd(close)
  return {
    ...publicPart(app, database),
    holdScans: heldScansOf(database, scratch.url),
    indexes: indexesOf(database, wait),
    admin: new Admin({ database, clock, authUrl: origin }),
    /** Begins to do what the app does beside requests; no test waits for that by itself. */
    startJobs,
    /** Waits for what requests have left to do: it is part of what they did. */
    idle: () => untilIdle(database, startJobs),
    events: eventsOf(database, startJobs),
    api,
    credentials,
    /** Apps of third parties, and people in browsers. */
    oauth: oauthOf({ database, clock, origin, authUrl: origin, userIds: credentials.cast.userIds }),
    origin,
    baseUrl,
    databaseUrl: scratch.url,
    filesFolder,
    userIds: credentials.cast.userIds,
    /** Another member of acme. */
    addWorkspace: (slug: string) => addWorkspace({ database, clock, authUrl: origin }, slug),
    addMember: (role: 'admin' | 'member' | 'viewer', name: string, password?: string) =>
      addMember({ database, clock, authUrl: origin }, role, name, password),
    http,
    /** Links to set a password that the app has logged. */
    loggedLinks: log.links,
    /** Errors that the app has logged and no test has expected; taking them says that they were. */
    takeErrors: log.take,
    advance,
    /** Lets everything be removed that changes of schemas have left behind, for which it must be some seconds later. */
    cleaned: async () => {
      await startJobs()
      await schemaJobs.ended('schemas.change')
      await advance(cleanedAfterMs)
      await schemaJobs.ended('schemas.clean')
    },
    schemaJobs,
    lastAttempt: lastAttemptOf(database),
    loseWorker: loseWorkerOf(database),
    settled: settledOf(database),
    /** Waits until all jobs of workspaces that are due have run, in whichever server. */
    quiet: quietOf(database, clock.now),
    /** Forgets what it trusts for five seconds of its callers, and with it the schemas that it knows. */
    forgetMemberships: () => app.runtime.forgetMemberships(),
    /** Gives all users the roles again that they began with. */
    async restoreMembers(): Promise<void> {
      await restoreMembers(database, credentials.cast)
      app.runtime.forgetMemberships()
    },
    /** Lets time pass on the clock that never jumps, which `advance` leaves alone. */
    wait,
    /** Lets the server look at how its requests go on, as it does ten times a second. */
    look: () => app.admission.look(),
    /** Stops the app's clock at an instant, or lets it run again. Keys stay valid, tokens may not. */
    stopClock: (at: number | undefined) => void (stoppedAt = at),
    now: clock.now,
    /** One batch of the purge in each workspace, as a job runs it. */
    purge: (batch?: Parameters<typeof purging.batch>[3]) => purgeOf(database, clock.now(), batch),
    trpc: (as: Caller = 'admin', headers: Record<string, string> = {}) =>
      trpcClient(origin, { ...headers, ...authorization(as, credentials) }),
  }
}

async function purgeOf(database: TestDatabase, now: number, options?: Parameters<typeof purging.batch>[3]) {
  const all = { records: 0, more: false }
  for (const workspaceId of await purging.due(database.reader, now)) {
    const { records, more } = await database.write((tx) => purging.batch(tx, workspaceId, now, options))
    all.records += records
    all.more ||= more
  }
  return all
}

const jobsEndMs = 5000

/** Longer than others may still read what a change has left behind. */
const cleanedAfterMs = 20_000

const publicPart = ({ issuer, calls, emails, endStreams }: App, database: TestDatabase) => ({
  /** Sends letters, as the steps of runs do. */
  emails,
  issuer,
  calls,
  endStreams,
  eventIds: eventIdsOf(database),
  mentions: mentionsOf(database),
  numberedEvents: numberedOf(database),
  storedAnswers: storedAnswersOf(database),
  links: linksOf(database),
  linksAmong: linksAmongOf(database),
  versions: versionsOf(database),
  linkFaults: linkFaultsOf(database),
  remains: remainsOf(database),
  createdRecords: createdRecordsOf(database),
  commentsByText: commentsByTextOf(database),
  rows: rowsOf(database),
  recordVersions: recordVersionsOf(database),
  counters: countersOf(database),
  signInRows: signInRowsOf(database),
  replaceKey: replaceKeyOf(database),
  searchIndexed: searchIndexedOf(database),
  tableFaults: tableFaultsOf(database),
  workspaceId: workspaceIdOf(database),
})

const authorization = (as: Caller, credentials: Credentials): Record<string, string> => {
  const value = authorizationOf(as, credentials)
  return value === undefined ? {} : { Authorization: value }
}

const trpcClient = (origin: string, headers: Record<string, string>) =>
  createTRPCClient<AppRouter>({ links: [httpLink({ url: `${origin}/trpc`, headers })] })

const listen = (server: Server): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })

async function stop(server: Server, database: TestDatabase): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  server.closeAllConnections()
  await closed
  await database.close()
}
