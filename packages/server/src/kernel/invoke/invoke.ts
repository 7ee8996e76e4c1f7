import { createHash } from 'node:crypto'
import { errorCodesOf, idempotencyKeptHours, inWorkspace, isMutation, type Endpoint } from '@kontor/contract'
import { DatabaseCrowded } from '../../db/errors.ts'
import type { Database, Tx } from '../../db/tx.ts'
import { actorId, type Actor, type Membership } from '../actor.ts'
import { requireCaller, requireRole, requireScope } from '../authorise.ts'
import type { Caches } from '../../lib/caches.ts'
import type { Call } from '../calls.ts'
import type { ChangeTimes } from '../change-times.ts'
import type { Clock } from '../clock.ts'
import { toFailure } from './database-failures.ts'
import { Failure, failure } from '../errors.ts'
import type { DomainEvent } from '../events.ts'
import { assertExact } from './exact.ts'
import { SchemaCheck, trustingSchemas, withFreshSchemas, type SchemaEpochs } from './fresh-schemas.ts'
import type { IdempotencyScope, IdempotencyStore, StoredAnswer } from '../idempotency.ts'
import { ifMatchVersions, idempotencyKey } from '../headers.ts'
import { invariant } from '../../lib/invariant.ts'
import type { Answer, Chunks, PublicContext, ReadContext, WorkspaceReadContext, WriteContext } from '../implement.ts'
import { meteredReads, meteredWrite } from './metered.ts'
import { parseInput } from '../parse/parse.ts'
import { PinnedSchemas } from './pinned-schemas.ts'
import { checkedChunks } from './chunks.ts'
import { bucketOf, rateHeaders, type RateLimiter } from '../rate-limit.ts'
import { narrowingOf } from '../scopes.ts'
import type { Surface } from './usage.ts'

/** One call, as every transport passes it on. */
export type Incoming = {
  readonly surface: Surface
  /** The workspace and the object that the call names, before anything else of it is read. */
  readonly scope: { readonly workspace?: unknown; readonly object?: unknown }
  /**
   * Path and query parameters flat, the body under `body`; typed, not yet checked. Read only after the caller is
   * authenticated and within the rate limit, so that no other caller can make the server decode a body.
   */
  readonly readInput: () => Promise<Readonly<Record<string, unknown>>>
  readonly authorization: string | undefined
  readonly idempotencyKey: string | undefined
  readonly ifMatch: string | undefined
  readonly requestId: string
  /** The transport can stream an answer in chunks; for other transports a handler returns none. */
  readonly takesPortions?: true
}

type Head = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

/** A whole body, or one whose `data` is still being read; the transport that consumes the chunks ends them. */
export type Outgoing = Head &
  ({ readonly body: unknown; readonly portions?: undefined } | { readonly body?: undefined; readonly portions: Chunks })

/** The dependencies of `invoke`; made by `app.ts`. */
export type Runtime = SchemaEpochs & {
  readonly database: Database
  readonly clock: Clock
  /** Generates the ids of what calls create. */
  readonly newId: (nowMs: number) => string
  readonly baseUrl: string
  readonly authenticate: (authorization: string | undefined) => Promise<Actor>
  readonly findMembership: (actor: Actor, slug: string) => Promise<Membership | undefined>
  /** Without one, nothing is limited. */
  readonly rateLimiter: Pick<RateLimiter, 'policy' | 'take'> | undefined
  readonly idempotency: IdempotencyStore
  readonly caches: Caches
  readonly changeTimes: ChangeTimes
  /** Publishes events in the transaction of their change. */
  readonly writeEvents: (
    tx: Tx,
    context: { workspaceId: string; actor: Actor; silent: boolean; now: number },
    events: readonly DomainEvent[],
  ) => Promise<void>
  /** Checks every answer against the contract. */
  readonly checkAnswers: boolean
}

/**
 * Collects headers that an answer carries whether it succeeds or fails; those of the rate limit are set before the
 * outcome is known.
 */
export type HeaderSink = Record<string, string>

/** The single path of every call: REST, tRPC, actions and the command line all end here. */
export async function invoke(
  runtime: Runtime,
  call: Call,
  incoming: Incoming,
  headers: HeaderSink = {},
): Promise<Outgoing> {
  const startedMs = performance.now()
  let status = 500
  try {
    const outgoing = await perform(runtime, call, incoming, headers)
    status = outgoing.status
    const check = runtime.checkAnswers ? (body: unknown) => assertExact(call, body) : undefined
    const checkWhole =
      check && ((body: { data: unknown[] }) => check(call.endpoint.media === undefined ? body : body.data.join('')))
    if (outgoing.portions !== undefined)
      return { ...outgoing, portions: checkedChunks(outgoing.portions, toFailure, checkWhole) }
    check?.(outgoing.body)
    return outgoing
  } catch (error) {
    const failed = toFailure(error)
    status = failed instanceof Failure ? failed.status : 500
    throw failed
  } finally {
    call.usage.count(incoming.surface, status, performance.now() - startedMs)
  }
}

async function perform(runtime: Runtime, call: Call, incoming: Incoming, headers: HeaderSink): Promise<Outgoing> {
  const { endpoint } = call
  if (endpoint.caller === 'public') return performPublic(runtime, call, incoming)
  const actor = await runtime.authenticate(incoming.authorization)
  const workspace = await findWorkspace(runtime, endpoint, actor, incoming)
  limit(runtime, call, workspace?.workspaceId ?? actorId(actor), headers)
  authorise(endpoint, actor, workspace, incoming)
  if (runtime.database.isCrowded(isMutation(endpoint) ? 'write' : 'read'))
    throw new DatabaseCrowded('Nobody else may wait')
  const given = await incoming.readInput()
  const input = parseInput(endpoint, given)
  const base = {
    actor,
    requestId: incoming.requestId,
    baseUrl: runtime.baseUrl,
    given,
    fail,
    takesPortions: incoming.takesPortions === true,
  }
  const tx = meteredReads(runtime.database.reader, call.usage)
  if (workspace === undefined) return read(runtime, call, { ...base, tx }, input)
  return withFreshSchemas(
    runtime,
    workspace,
    () => enterAgain(runtime, endpoint, actor, incoming),
    async (entered) => {
      const inside = {
        ...base,
        workspace: entered,
        horizon: (object: string) => runtime.changeTimes.horizon(entered.workspaceId, object),
      }
      if (isMutation(endpoint)) return write(runtime, call, { ...incoming, given }, inside, input)
      return trustingSchemas(runtime, tx, entered, () =>
        read(runtime, call, { ...inside, tx, schemas: pinned(runtime, entered) }, input),
      )
    },
  )
}

/**
 * Runs a public call, the same for every caller: it needs neither a credential nor the database, and costs so little
 * that it is not counted.
 */
async function performPublic(
  { baseUrl, clock }: Runtime,
  call: Call,
  { readInput, requestId }: Incoming,
): Promise<Outgoing> {
  const given = await readInput()
  const context: PublicContext = { requestId, now: clock.now(), fail, baseUrl, given }
  const answered = await call.handler(context, parseInput(call.endpoint, given))
  invariant(!('portions' in answered), `${call.name} is for everybody, and answers in portions`)
  return answer(call, answered)
}

async function enterAgain(runtime: Runtime, endpoint: Endpoint, actor: Actor, incoming: Incoming): Promise<Membership> {
  const workspace = await findWorkspace(runtime, endpoint, actor, incoming)
  authorise(endpoint, actor, workspace, incoming)
  return workspace as Membership
}

/** The schemas of one attempt; a retry reads them again. */
const pinned = (runtime: Runtime, workspace: Membership): PinnedSchemas =>
  new PinnedSchemas((tx) => runtime.readSchemas(tx, workspace))

type Timed = 'now' | 'newId'

const timed = (runtime: Runtime, now: number): Pick<ReadContext, Timed> => ({ now, newId: () => runtime.newId(now) })

async function read(
  runtime: Runtime,
  call: Call,
  base: Omit<ReadContext, Timed> | Omit<WorkspaceReadContext, Timed>,
  input: Record<string, unknown>,
): Promise<Outgoing> {
  const answered = await call.handler({ ...base, ...timed(runtime, runtime.clock.now()) }, input)
  return 'portions' in answered ? { status: 200, headers: {}, portions: answered.portions } : answer(call, answered)
}

const fail: ReadContext['fail'] = (code, fault) => new Failure({ code, ...fault })

/** The workspace that a call names, if its caller may enter it. */
const findWorkspace = async (
  runtime: Runtime,
  endpoint: Endpoint,
  actor: Actor,
  { scope }: Incoming,
): Promise<Membership | undefined> =>
  inWorkspace(endpoint) && typeof scope.workspace === 'string'
    ? runtime.findMembership(actor, scope.workspace)
    : undefined

/**
 * Unknown, foreign and inaccessible workspaces get the same answer; scope and role are checked only inside the
 * workspace.
 */
function authorise(endpoint: Endpoint, actor: Actor, workspace: Membership | undefined, { scope }: Incoming): void {
  requireCaller(endpoint, actor)
  if (!inWorkspace(endpoint)) return requireScope(endpoint, actor, undefined)
  if (workspace === undefined) throw failure('not_found', 'There is no such workspace.')
  requireScope(endpoint, actor, typeof scope.object === 'string' ? scope.object : undefined)
  requireRole(endpoint, workspace)
}

/**
 * Counts every authenticated call, refused ones included, so that guessing workspace names is limited like any other
 * call.
 */
function limit({ rateLimiter }: Runtime, { name }: Call, workspaceOrActorId: string, headers: HeaderSink): void {
  if (rateLimiter === undefined) return
  const { policy } = rateLimiter
  const state = rateLimiter.take(bucketOf(name, workspaceOrActorId))
  Object.assign(headers, rateHeaders(policy, state))
  if (state.allowed) return
  const detail = `At most ${policy.limit} requests at once, and as many in ${policy.windowSeconds} seconds.`
  throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds: state.retryAfterSeconds })
}

type WriteBase = Omit<WorkspaceReadContext, 'tx' | 'schemas' | Timed>

/** Rolls a transaction back and carries the answer out of it. */
class DryRun extends Error {
  readonly outgoing: StoredAnswer
  constructor(outgoing: StoredAnswer) {
    super('A dry run ends without its changes')
    this.outgoing = outgoing
  }
}

type Given = Incoming & { readonly given: Readonly<Record<string, unknown>> }

async function write(
  runtime: Runtime,
  call: Call,
  incoming: Given,
  base: WriteBase,
  input: Record<string, unknown>,
): Promise<Outgoing> {
  const { workspace, actor } = base
  const ifMatch = ifMatchVersions(incoming.ifMatch)
  // The sender relies on the condition: where it cannot be checked, the call must not go through.
  if (ifMatch !== undefined && !errorCodesOf(call.endpoint).includes('version_mismatch')) {
    throw failure(
      'invalid_parameter',
      'If-Match is for changing or deleting one resource that has an ETag; leave it out here.',
      { source: { header: 'If-Match' } },
    )
  }
  const key = idempotencyKey(incoming.idempotencyKey)
  const scope =
    key === undefined
      ? undefined
      : {
          workspaceId: workspace.workspaceId,
          actorId: actorId(actor),
          endpoint: call.name,
          key,
          secret: call.endpoint.secret === true,
        }
  const requestHash = scope && hashOf(incoming, actor)
  let afterCommit: (() => void)[] = []
  const work = async (tx: Tx): Promise<Outgoing> => {
    afterCommit = []
    const schemas = pinned(runtime, workspace)
    const check = new SchemaCheck(runtime, tx, workspace, schemas)
    const clockNow = runtime.clock.now()
    const { now, confirmed } = await runtime.changeTimes.begin(tx, workspace.workspaceId, clockNow)
    const stored = scope && (await replay(runtime, tx, scope, requestHash as string, clockNow))
    if (stored !== undefined) return stored
    const context = writeContext(
      runtime,
      { ...base, ...timed(runtime, now), schemas, clockNow, ifMatch, silent: input['silent'] === true, check },
      tx,
      afterCommit,
    )
    const outgoing = await check.around(async () => {
      const answered = await call.handler(context, input)
      invariant(!('portions' in answered), `${call.name} changes something, and answers in portions`)
      return answer(call, answered)
    })
    // Nothing was written, so the version does not exist, and there is no tag to match it with.
    if (input['dry_run'] === true) throw new DryRun({ ...outgoing, headers: {} })
    if (scope !== undefined) await runtime.idempotency.save(tx, scope, requestHash as string, outgoing, clockNow)
    await confirmed
    return outgoing
  }
  try {
    const outgoing = await meteredWrite(runtime.database, call.usage, work)
    for (const after of afterCommit) after()
    return outgoing
  } catch (error) {
    if (error instanceof DryRun) return error.outgoing
    throw error
  }
}

/**
 * Hashes what makes two requests the same. It includes the limits of the credential: a narrower credential of the same
 * person must not receive a stored answer that it would have been refused.
 */
function hashOf({ given, ifMatch }: Given, actor: Actor): string {
  const narrowing = narrowingOf(actor)
  return createHash('sha256')
    .update(JSON.stringify([given, ifMatch ?? null, ...(narrowing === undefined ? [] : [narrowing])]))
    .digest('base64url')
}

type WriteFacts = WriteBase &
  Pick<WriteContext, Timed | 'schemas' | 'clockNow'> & {
    readonly ifMatch: readonly number[] | undefined
    readonly silent: boolean
    readonly check: SchemaCheck
  }

function writeContext(
  runtime: Runtime,
  { silent, check, ...facts }: WriteFacts,
  tx: Tx,
  afterCommit: (() => void)[],
): WriteContext {
  const { workspace, actor, now } = facts
  return {
    ...facts,
    tx,
    caches: runtime.caches,
    emit: (events) => runtime.writeEvents(tx, { workspaceId: workspace.workspaceId, actor, silent, now }, events),
    assertSchemas: () => check.assertNow(),
    afterCommit: (work) => afterCommit.push(work),
    async attempt(work) {
      const own: (() => void)[] = []
      const value = await tx.attempt((inner) => work(writeContext(runtime, { silent, check, ...facts }, inner, own)))
      afterCommit.push(...own)
      return value
    },
  }
}

async function replay(
  runtime: Runtime,
  tx: Tx,
  scope: IdempotencyScope,
  requestHash: string,
  now: number,
): Promise<StoredAnswer | undefined> {
  const found = await runtime.idempotency.begin(tx, scope, requestHash, now)
  if (found === 'new') return undefined
  if (found === 'running')
    throw new Failure(
      { code: 'idempotency_in_progress', detail: 'A request with this Idempotency-Key is still running.' },
      { retryAfterSeconds: 1 },
    )
  if (found === 'other-request') {
    throw failure(
      'idempotency_key_reused',
      `This Idempotency-Key was used for a different request, or with other scopes, within ${idempotencyKeptHours} hours.`,
      { source: { header: 'Idempotency-Key' } },
    )
  }
  // An answer without a body is stored as null.
  return { ...found, body: found.body ?? undefined, headers: { ...found.headers, 'Idempotency-Replayed': 'true' } }
}

function answer({ endpoint }: Call, { body, version, status }: Answer<unknown>): StoredAnswer {
  return {
    status: status ?? endpoint.status ?? 200,
    body,
    headers: version === undefined ? {} : { ETag: `"${version}"` },
  }
}
