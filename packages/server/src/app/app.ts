import type { RequestListener } from 'node:http'
import type { Logger } from 'pino'
import { contract } from '@kontor/contract'
import { createAuthentication } from './authentication.ts'
import { DatabaseChangeTimes, writeOutbox } from '../modules/events/index.ts'
import { findRequests, idempotencyStore } from '../modules/requests/index.ts'
import { withBackgroundWrites } from '../db/background-writes.ts'
import { Semaphore } from '../db/semaphore.ts'
import type { Database } from '../db/tx.ts'
import { Admission } from '../http/admission.ts'
import { isHeapNearlyFull } from '../lib/heap.ts'
import type { Readiness } from '../http/pages.ts'
import type { Transport } from '../http/transport.ts'
import { Runner } from '../engine/runner.ts'
import type { JobKind } from '../engine/types.ts'
import { toFailure } from '../kernel/invoke/database-failures.ts'
import { listCalls, type Call } from '../kernel/calls.ts'
import type { Clock } from '../kernel/clock.ts'
import { newId, newRecordId } from '../kernel/ids.ts'
import type { Runtime } from '../kernel/invoke/runtime.ts'
import { perMinute } from '../kernel/rate-limit.ts'
import { expectActivities, writeActivities } from '../modules/activities/index.ts'
import {
  authenticator,
  type Issuer,
  type OutsideIssuer,
  type TokenAuthenticator,
} from '../modules/identity/tokens/index.ts'
import type { KeyAuthenticator } from '../modules/identity/api-keys/index.ts'
import { smtpMailer, type MailSettings } from '../modules/mail/index.ts'
import { createJobKinds, createModules, createRecurring } from '../modules/index.ts'
import { FieldIndexes } from '../modules/indexes/index.ts'
import { SchemaSets } from '../modules/schemas/index.ts'
import { presence } from '../modules/identity/users/index.ts'
import { findSchemaEpoch, Memberships } from '../modules/workspaces/index.ts'
import { upkeepOf } from './upkeep.ts'
import { createListener } from './listener.ts'

// For those who call without HTTP: the benchmarks.
export { invoke } from '../kernel/invoke/invoke.ts'
// For those who run it: a job, and the tests.
export { purging } from '../modules/index.ts'

export type AppOptions = {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Logger
  /** Public address of the API, with `/v1`. */
  readonly baseUrl: string
  readonly authUrl: string
  /** The id of what is created next, if it is to have a certain one. */
  readonly nextId?: (() => string | undefined) | undefined
  readonly outsideIssuer?: OutsideIssuer | undefined
  /** 0 is off. */
  readonly rateLimitPerMinute: number
  /** Sign-in and what else guesses at secrets, for each address; by default 0, which is off. */
  readonly signInsPerMinute?: number | undefined
  /** Requests at work at once; by default as many as come. */
  readonly requestsMax?: number | undefined
  /** Proxies in front whose `X-Forwarded-For` is believed, as Express' `trust proxy` takes them; by default none. */
  readonly trustedProxies?: readonly string[] | undefined
  /** Without it no e-mail is sent: links are answered to those who invite, or logged. */
  readonly mail?: MailSettings | undefined
  /** Origins whose pages may call; `*` for any. */
  readonly corsOrigins?: readonly string[] | undefined
  /** Without it, `/metrics` is for this machine alone. */
  readonly metricsToken?: string | undefined
  /** Objects with more records than this get an index of what they are sorted and filtered by. */
  readonly fieldIndexThreshold: number
  /** Compares every answer with the contract; for tests and development. */
  readonly checkAnswers?: boolean
}

export type App = {
  /** Hand it to `node:http`. */
  readonly listener: RequestListener
  readonly runtime: Runtime
  readonly calls: readonly Call[]
  readonly issuer: Issuer
  /** Does nothing before it is started. */
  readonly runner: Runner
  /** Told of a rejection that nothing has waited for: a mistake of ours, of which one request has died. */
  readonly onUnhandled: (reason: unknown) => void
  /** Set `ready` to false to take no more traffic. */
  readonly readiness: Readiness
  /** Its `look` wants to be called every `lookEveryMs`. */
  readonly admission: Admission
}

/** Puts everything together; the only place that does. Tests call it too. */
export function createApp(options: AppOptions): App {
  const { database, clock, logger, baseUrl, authUrl } = options
  const onError = (error: unknown, requestId?: string) => {
    // What is noted beside a request is noted another time.
    if (toFailure(error) === error) logger.error({ err: error, requestId }, 'unexpected error')
    else logger.warn({ err: error, requestId }, 'something waits for the database')
  }
  const authentication = createAuthentication(options, onError)
  const { issuer, keys } = authentication
  const memberships = new Memberships()
  const indexes = new FieldIndexes({ database, clock, threshold: options.fieldIndexThreshold, onError })
  const rateLimiter = perMinute('default', options.rateLimitPerMinute, clock)
  const mailer = options.mail && smtpMailer(options.mail)
  const calls = listCalls(
    contract,
    createModules({
      keys,
      mailer,
      onError,
      indexes,
      memberships,
      rateLimiter,
      addresses: { baseUrl, authUrl },
      findRequests: (asked, now) => database.write((tx) => findRequests(tx, asked, now)),
    }),
  )
  const runtime = createRuntime(options, { ...authentication, memberships, rateLimiter, onError })
  const readiness: Readiness = { ready: true }
  const admission = new Admission(options.requestsMax ?? Infinity, clock)
  const runner = createRunner(options, runtime)
  const unhandled = countUnhandled(logger)
  const listener = createListener(options, {
    ...authentication,
    unhandled: unhandled.count,
    runtime,
    calls,
    mailer,
    rateLimiter,
    readiness,
    admission,
    onError,
  })
  return { listener, runtime, calls, issuer, runner, onUnhandled: unhandled.add, readiness, admission }
}

/**
 * Two writes of a thousand records each keep two processors busy. More at once would only wait for one another, with
 * tens of megabytes each, and hold connections that others need.
 */
const largeWriteTurns = { atOnceMax: 2, waitingMax: 200, waitMsMax: 60_000 }

type RuntimeParts = {
  readonly keys: KeyAuthenticator
  readonly tokens: TokenAuthenticator
  readonly memberships: Memberships
} & Pick<Runtime, 'rateLimiter'> &
  Pick<Transport, 'onError'>

/** What every call runs with. */
function createRuntime(
  options: AppOptions,
  { keys, tokens, memberships, rateLimiter, onError }: RuntimeParts,
): Runtime {
  const { database, clock, baseUrl } = options
  const schemaSets = new SchemaSets()
  const authenticate = authenticator(keys, tokens)
  const notePresence = presence(database, clock, onError)
  return {
    database,
    clock,
    newId: (nowMs) => options.nextId?.() ?? newId(nowMs),
    newRecordId: (nowMs) => options.nextId?.() ?? newRecordId(nowMs),
    baseUrl,
    async authenticate(authorization) {
      const actor = await authenticate(authorization)
      notePresence(actor)
      return actor
    },
    findMembership: (actor, slug) => memberships.find(database.reader, actor, slug),
    forgetMemberships: () => memberships.forget(),
    schemaEpoch: findSchemaEpoch,
    readSchemas: (tx, workspace) => schemaSets.read(tx, workspace),
    rateLimiter,
    idempotency: idempotencyStore,
    largeWrites: new Semaphore({ ...largeWriteTurns, mayJoin: () => !isHeapNearlyFull() }),
    changeTimes: new DatabaseChangeTimes(database),
    writeEvents,
    expectEvents: expectActivities,
    checkAnswers: options.checkAnswers === true,
  }
}

/** The runner of background jobs, those of upkeep included. */
function createRunner({ database, clock, logger }: AppOptions, { changeTimes, forgetMemberships }: Runtime): Runner {
  const kinds = createJobKinds({
    writeEvents,
    changeTimes,
    forgetMemberships,
  }) as readonly JobKind<unknown>[]
  return new Runner({
    database: withBackgroundWrites(database),
    clock,
    logger,
    kinds,
    recurring: [...upkeepOf(database), ...createRecurring({ writeEvents })],
  })
}

function countUnhandled(logger: Logger) {
  let count = 0
  const add = (reason: unknown): void => {
    count++
    logger.error({ err: reason }, 'unhandled rejection')
  }
  return { count: () => count, add }
}

/** Everywhere that an event is told it has the same id. */
const writeEvents: Runtime['writeEvents'] = async (tx, source, events) => {
  const named = events.map((event) => ({ ...event, id: newId(source.now) }))
  await Promise.all([writeOutbox(tx, source, named), writeActivities(tx, source, named)])
}
