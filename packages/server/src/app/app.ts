import type { RequestListener } from 'node:http'
import { arrivalsPerMinute, contract } from '@kontor/contract'
import { createAuthentication, forgetTogether } from './authentication.ts'
import { DatabaseChangeTimes } from '../modules/events/index.ts'
import { findRequests, idempotencyStore, seesAnswer } from '../modules/requests/index.ts'
import { withBackgroundWrites } from '../db/background-writes.ts'
import { databaseTurns } from '../db/database-turns.ts'
import { Admission } from '../http/admission.ts'
import { isHeapNearlyFull } from '../lib/heap.ts'
import type { Readiness } from '../http/pages.ts'
import type { Transport } from '../http/transport.ts'
import { Runner } from '../engine/runner.ts'
import type { JobKind } from '../engine/types.ts'
import { AddressGate, CallShares, perMinute, RateLimiter } from '../kernel/rate-limit.ts'
import { inProcess } from '../kernel/invoke/in-process.ts'
import { listCalls, type Call } from '../kernel/calls.ts'
import { newId, newRecordId, newSecretId } from '../kernel/ids.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { authenticator, type Issuer, type TokenAuthenticator } from '../modules/identity/tokens/index.ts'
import type { KeyAuthenticator } from '../modules/identity/api-keys/index.ts'
import { smtpMailer, type Mailer } from '../modules/mail/index.ts'
import { chainHeaders, chainReader, workflowSigner } from '../modules/workflows/index.ts'
import { CodeRunner } from '../modules/sandbox/index.ts'
import { type WorkflowServices } from '../modules/runs/index.ts'
import { placedAttachments } from '../modules/attachments/index.ts'
import { campaignAddressing, campaignPacing, followEngagement, zonesOfPeople } from '../modules/campaigns/index.ts'
import { createJobKinds, createModules, createRecurring, workflowKinds } from '../modules/index.ts'
import { ToolUsage } from '../mcp/usage.ts'
import { linkParticipants } from '../modules/meetings/index.ts'
import { KeyRing } from '../lib/key-ring.ts'
import { allowedTargets } from '../lib/outbound/addresses.ts'
import { OutboundClient } from '../lib/outbound/client.ts'
import type { WebhookServices } from '../modules/webhooks/index.ts'
import type { FileStorage } from '../modules/files/index.ts'
import type { Emails } from '../modules/emails/index.ts'
import { Pool } from '../pool/index.ts'
import { EventHub } from '../modules/event-feed/index.ts'
import { FieldIndexes } from '../modules/indexes/index.ts'
import { findSettings } from '../modules/settings/index.ts'
import { SchemaSets } from '../modules/schemas/index.ts'
import { presence } from '../modules/identity/users/index.ts'
import { findSchemaEpoch, Memberships } from '../modules/workspaces/index.ts'
import { upkeepOf } from './upkeep.ts'
import { openFiles } from './files.ts'
import { createLetters } from './email-services.ts'
import { createPlugins, workflowServices } from './workflow-services.ts'
import { countUnhandled, errorNote } from './error-notes.ts'
import { eventWriter } from './event-writer.ts'
import { httpNotetaker } from './notetaker.ts'
import { createListeners } from './listener.ts'
import type { AppOptions } from './options.ts'
import { sharedLimit } from './shared-limits.ts'

// For those who call without HTTP: the benchmarks.
export { invoke } from '../kernel/invoke/invoke.ts'
// For the benchmarks, which run jobs of their own.
export { Runner } from '../engine/runner.ts'
export { enqueueNew } from '../engine/store.ts'
export type { JobKind } from '../engine/types.ts'
export type { AppOptions } from './options.ts'
// For those who run it: a job, and the tests.
export { purging } from '../modules/index.ts'

export type App = {
  /** Hand it to `node:http`. */
  readonly listener: RequestListener
  /** The same for a process that serves nothing: health, readiness and metrics. */
  readonly monitor: RequestListener
  readonly runtime: Runtime
  readonly calls: readonly Call[]
  /** Sends letters. */
  readonly emails: Emails
  readonly issuer: Issuer
  /** Does nothing before it is started. */
  readonly runner: Runner
  /** Told of a rejection that nothing has waited for: a mistake of ours, of which one request has died. */
  readonly onUnhandled: (reason: unknown) => void
  /** Set `ready` to false to take no more traffic. */
  readonly readiness: Readiness
  /** Its `look` wants to be called every `lookEveryMs`. */
  readonly admission: Admission
  /** Processes for work on untrusted input. */
  readonly pool: Pool
  /** For the sample data, which has files. */
  readonly storage: FileStorage
  /** Ends the answers that would go on for ever. */
  readonly endStreams: () => Promise<void>
}

/** Puts everything together; the only place that does. Tests call it too. */
export function createApp(options: AppOptions): App {
  const { database, clock, logger, baseUrl, authUrl } = options
  const onError = errorNote(logger)
  const changes = changesOf(options)
  const authentication = createAuthentication({ ...options, telling: { ...changes, clock } }, onError)
  const memberships = new Memberships(clock)
  const hub = new EventHub(database, options.streams, onError)
  forgetTogether(database, { ...authentication, memberships })
  const indexes = new FieldIndexes({ database, clock, threshold: options.fieldIndexThreshold, onError })
  const rateLimiter = sharedLimit(database, perMinute('default', options.rateLimitPerMinute, clock))
  const webhooks = createWebhookServices(options)
  const { storage, links, signed } = openFiles({ ...options, keys: webhooks.keys })
  const mailer = options.mail && smtpMailer(options.mail)
  const schemaSets = new SchemaSets()
  const pool = new Pool({ processesMax: options.poolProcesses })
  const { letters, plugins } = createAutomation(options, { ...changes, webhooks, mailer, schemaSets, storage, pool })
  const parts = { ...authentication, ...changes, memberships, schemaSets, rateLimiter, pool, mailer, indexes, onError }
  const calls: readonly Call[] = listCalls(
    contract,
    createModules({
      ...parts,
      hub,
      forgetTokens: () => authentication.tokens.forget(),
      webhooks,
      storage,
      links,
      plugins,
      kinds: workflowKinds,
      inboundUrl: letters.inboundUrl,
      addresses: { baseUrl, authUrl },
      actAs: (actor, requestId) => inProcess({ runtime, calls }, { actor }, requestId),
      findRequests: (asked, now) => database.write((tx) => findRequests(tx, asked, now)),
    }),
  )
  const runtime: Runtime = createRuntime(options, { ...parts, webhooks })
  const readiness: Readiness = { ready: true }
  const admission = new Admission(options.requestsMax ?? Infinity, clock)
  const workflows = workflowServices({ runtime, calls, plugins, schemaSets })
  const runner = createRunner(options, runtime, { ...parts, ...letters, webhooks, storage, workflows })
  const unhandled = countUnhandled(logger)
  const listeners = createListeners(options, {
    ...parts,
    unhandled: unhandled.count,
    jobCounts: runner.counts,
    followers: () => hub.followers,
    runtime,
    calls,
    signedFiles: signed,
    letters,
    readiness,
    admission,
    toolUsage: new ToolUsage(),
  })
  return {
    ...listeners,
    runtime,
    calls,
    emails: letters.emails,
    issuer: authentication.issuer,
    runner,
    onUnhandled: unhandled.add,
    readiness,
    admission,
    pool,
    storage,
    endStreams: () => hub.end(),
  }
}

/**
 * Two writes of a thousand records each keep two processors busy. More at once would only wait for one another, with
 * tens of megabytes each, and hold connections that others need. The third turn is the one that no workspace takes from
 * the others (docs/decisions/0235).
 */
const largeWriteTurns = { atOnceMax: 3, waitingMax: 200, waitMsMax: 60_000 }

/** Calls of one workspace at work: four fifths of what may wait for the database. */
const callsMax = 400

/** Requirements of every change, made by an operation of the API or otherwise. */
type Changes = Pick<Runtime, 'changeTimes' | 'writeEvents'>

const changesOf = ({ database, checkAnswers = false }: AppOptions): Changes => ({
  changeTimes: new DatabaseChangeTimes(database),
  writeEvents: eventWriter({ checkAnswers }),
})

type RuntimeParts = {
  readonly keys: KeyAuthenticator
  readonly tokens: TokenAuthenticator
  readonly memberships: Memberships
  readonly schemaSets: SchemaSets
  readonly webhooks: WebhookServices
} & Changes &
  Pick<Runtime, 'rateLimiter'> &
  Pick<Transport, 'onError'>

/** Creates the runtime that all calls share. */
function createRuntime(
  options: AppOptions,
  { keys, tokens, memberships, schemaSets, rateLimiter, onError, changeTimes, writeEvents, webhooks }: RuntimeParts,
): Runtime {
  const { database, clock, baseUrl } = options
  const authenticate = authenticator(keys, tokens)
  const notePresence = presence(database, clock, onError)
  return {
    database,
    clock,
    newId: (nowMs) => options.nextId?.() ?? newId(nowMs),
    newSecretId: () => options.nextId?.() ?? newSecretId(),
    newRecordId: (nowMs) => options.nextId?.() ?? newRecordId(nowMs),
    baseUrl,
    async authenticate(authorization) {
      const actor = await authenticate(authorization)
      notePresence(actor)
      return actor
    },
    readChain: chainReader(webhooks.keys),
    findMembership: (actor, slug) => memberships.find(database.reader, actor, slug),
    forgetMemberships: () => memberships.forget(),
    watchMemberships: () => memberships.watch(),
    schemaEpoch: findSchemaEpoch,
    readSchemas: (tx, workspace) => schemaSets.read(tx, workspace),
    rateLimiter,
    arrivals: new RateLimiter({ name: 'arrivals', limit: arrivalsPerMinute, windowSeconds: 60 }, clock),
    gate: new AddressGate(clock),
    idempotency: idempotencyStore,
    seesAnswer,
    shares: new CallShares(callsMax),
    largeWrites: databaseTurns({ ...largeWriteTurns, mayJoin: () => !isHeapNearlyFull() }),
    changeTimes,
    writeEvents,
    follow: linkParticipants,
    checkAnswers: options.checkAnswers === true,
  }
}

const createWebhookServices = ({ webhookAllowedHosts = [], encryptionKeys }: AppOptions): WebhookServices => ({
  outbound: new OutboundClient({ allowed: allowedTargets(webhookAllowedHosts) }),
  keys: new KeyRing(encryptionKeys),
})

type AutomationParts = Pick<Runtime, 'writeEvents'> & {
  readonly webhooks: WebhookServices
  readonly mailer: Mailer | undefined
  readonly schemaSets: SchemaSets
  readonly storage: FileStorage
  readonly pool: Pool
}

/** Creates the services for e-mail, and the plugins of workflows with the services that they use. */
function createAutomation(
  options: AppOptions,
  { webhooks, mailer, writeEvents, schemaSets, storage, pool }: AutomationParts,
) {
  const { keys } = webhooks
  const letters = createLetters(options, { mailer, keys, storage, pool, writeEvents, onEngagement: followEngagement })
  const plugins = createPlugins({
    ...webhooks,
    emails: letters.emails,
    addressing: campaignAddressing(withBackgroundWrites(options.database)),
    pacing: campaignPacing(withBackgroundWrites(options.database), zonesOfPeople(schemaSets)),
    findAttachment: placedAttachments(options.database.reader, schemaSets),
    ai: options.ai,
    pool,
    code: new CodeRunner(pool),
    settingsOf: (workspaceId) => findSettings(options.database.reader, workspaceId),
    sign: workflowSigner(options.database.reader, keys),
    chain: chainHeaders(keys),
  })
  return { letters, plugins }
}

type RunnerParts = Omit<AutomationParts, 'writeEvents'> &
  Pick<RuntimeParts, 'memberships'> & {
    readonly workflows: WorkflowServices
    readonly emails: Emails
    readonly indexes: FieldIndexes
  }

/** The runner of background jobs, those of upkeep included. */
function createRunner(
  { database, clock, logger, notetaker, baseUrl, onlyJobs }: AppOptions,
  { changeTimes, forgetMemberships, writeEvents }: Runtime,
  parts: RunnerParts,
): Runner {
  const { webhooks, memberships, schemaSets } = parts
  const kinds = createJobKinds({
    ...parts,
    ...webhooks,
    writeEvents,
    changeTimes,
    forgetMemberships,
    changeMemberships: (work) => memberships.whileChanging(work),
    findAttachment: placedAttachments(database.reader, schemaSets),
    notetaker: notetaker && httpNotetaker(notetaker, baseUrl, clock),
  }) as readonly JobKind<unknown>[]
  const recurring = [...upkeepOf(database, webhooks.keys), ...createRecurring({ ...parts, writeEvents })]
  const isDone = ({ name }: { readonly name: string }): boolean => onlyJobs?.includes(name) ?? true
  return new Runner({
    database: withBackgroundWrites(database),
    foreground: database,
    clock,
    logger,
    kinds: kinds.filter(isDone),
    recurring: recurring.filter(isDone),
  })
}
