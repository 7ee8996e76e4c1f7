import { errorCodesOf, idempotencyKeptHours, positionHeader } from '@kontor/contract'
import { DatabaseUnavailable, UniqueValueTaken } from '../../db/errors.ts'
import type { Tx } from '../../db/tx.ts'
import { invariant, memberOf } from '../../lib/guards.ts'
import type { Call } from '../calls.ts'
import { failure, Failure } from '../errors.ts'
import { ifMatchVersions, idempotencyKey } from '../preconditions.ts'
import type { WorkspaceReadContext, WriteContext } from '../implement.ts'
import type { StoredAnswer, IdempotencyScope } from '../idempotency.ts'
import { writeContext, answer, timed, type WriteEffects, type WriteBase } from './contexts.ts'
import { meteredReads, meteredWrite } from './metered.ts'
import type { InvokedCall, Outgoing, Runtime } from './runtime.ts'
import { pinSchemas, SchemaCheck } from './schema-check.ts'
import { createHash } from 'node:crypto'
import { actorId, credentialOf, type Actor } from '../actor.ts'
import { narrowingOf } from '../authorise.ts'

/** Rolls a transaction back and carries the answer out of it. */
class DryRun extends Error {
  readonly outgoing: StoredAnswer
  constructor(outgoing: StoredAnswer) {
    super('A dry run ends without its changes')
    this.outgoing = outgoing
  }
}

/** Records in a body from which on a write is large: it takes megabytes until it is committed. */
const largeFrom = 100

export function isLarge({ body }: Record<string, unknown>): boolean {
  const data = memberOf(body, 'data')
  return Array.isArray(data) && data.length >= largeFrom
}

/** Runs a call that changes something, in one transaction. */
export async function write(
  runtime: Runtime,
  call: Call,
  incoming: InvokedCall,
  base: WriteBase,
  input: Record<string, unknown>,
): Promise<Outgoing> {
  const { workspace, actor } = base
  const ifMatch = acceptedVersions(call, incoming)
  const keyed = keyedRequest(call, incoming, actor, workspace.workspaceId)
  const isDryRun = input['dry_run'] === true && call.endpoint.testRuns !== true
  let effects: WriteEffects = noEffects()
  const handle = await prepared(runtime, call, base, input)
  const work = async (tx: Tx, isHopeful: boolean): Promise<Outgoing> => {
    effects = noEffects()
    const schemas = pinSchemas(runtime, workspace)
    const clockNow = runtime.clock.now()
    const { now, confirmed } = await runtime.changeTimes.begin(tx, workspace.workspaceId, clockNow)
    const stored = keyed && (await replay(runtime, tx, keyed, clockNow))
    const check = new SchemaCheck(runtime, tx, workspace, schemas)
    const facts = {
      ...base,
      call,
      ...timed(runtime, now),
      schemas,
      clockNow,
      ifMatch,
      refusedItems: incoming.refusedItems,
      // A dry run never sends its changes to the database, so it would miss a value that is taken.
      isHopeful: isHopeful && !isDryRun,
      silent: input['silent'] === true,
    }
    const context = writeContext(runtime, facts, tx, effects)
    if (stored !== undefined) return seen(runtime, context, stored)
    const outgoing = await check.around(async () => {
      const answered = await handle(context)
      if (!isDryRun) await follow(runtime, facts, tx, effects)
      invariant('body' in answered, `${call.name} changes something, and answers in chunks`)
      return answer(call, answered)
    })
    // Nothing was written, so the version does not exist, and there is no tag to match it with.
    if (isDryRun) throw new DryRun({ ...outgoing, headers: {} })
    if (keyed !== undefined) await runtime.idempotency.save(tx, keyed.scope, keyed.hash, outgoing, clockNow)
    await incoming.alongside?.(tx, outgoing.body)
    await confirmed
    return outgoing
  }
  const run = (isHopeful: boolean): Promise<Outgoing> => positioned(runtime, call, base, (tx) => work(tx, isHopeful))
  try {
    const outgoing = await run(runtime.database.dialect.isRemote).catch((error: unknown) => {
      if (error instanceof UniqueValueTaken) return run(false)
      throw error
    })
    for (const after of effects.afterCommit) after()
    return outgoing
  } catch (error) {
    if (error instanceof DryRun) return error.outgoing
    // If it was committed after all, it may have changed a membership or schemas.
    if (error instanceof DatabaseUnavailable && error.away === 'unknown') runtime.forgetMemberships()
    throw error
  }
}

/** Runs a transaction. Where there are replicas, its response has the position that they need for later reads. */
async function positioned(
  { database }: Runtime,
  { usage }: Call,
  { actor, workspace }: Pick<WriteBase, 'actor' | 'workspace'>,
  work: (tx: Tx) => Promise<Outgoing>,
): Promise<Outgoing> {
  let position: string | undefined
  try {
    const outgoing = await meteredWrite(database, usage, work, {
      party: workspace.workspaceId,
      plansOnce: true,
      onPosition: (committed) => void (position = committed),
    })
    if (position === undefined) return outgoing
    return { ...outgoing, headers: { ...outgoing.headers, [positionHeader]: position } }
  } finally {
    database.replicas?.note(credentialOf(actor), position)
  }
}

const noEffects = (): WriteEffects => ({ afterCommit: [], events: [] })

/** Makes the changes that a change brings with it, which are neither told of nor conditional. */
function follow(
  runtime: Runtime,
  facts: Parameters<typeof writeContext>[1],
  tx: Tx,
  effects: WriteEffects,
): Promise<void> {
  const own = { ...facts, call: undefined, ifMatch: undefined, refusedItems: new Map(), isHopeful: false, silent: true }
  return runtime.follow(writeContext(runtime, own, tx, { ...effects, events: [] }), effects.events)
}

/** A stored answer, if its caller still sees what it says. */
async function seen(runtime: Runtime, context: WriteContext, stored: StoredAnswer): Promise<StoredAnswer> {
  if (await runtime.seesAnswer(context, stored.body)) return stored
  throw failure(
    'forbidden',
    'The request succeeded with this Idempotency-Key, but you may no longer see everything in its response.',
  )
}

/** The handler of a change, once it has asked of others what it needs. */
async function prepared(
  runtime: Runtime,
  { prepare, handler, usage }: Call,
  base: WriteBase,
  input: Record<string, unknown>,
): Promise<(context: WriteContext) => ReturnType<Call['handler']>> {
  if (prepare === undefined) return (context) => handler(context, input)
  const context: WorkspaceReadContext = {
    ...base,
    ...timed(runtime, runtime.clock.now()),
    tx: meteredReads(runtime.database.reader, usage, base.workspace.workspaceId),
    schemas: pinSchemas(runtime, base.workspace),
  }
  return prepare(context, input)
}

/** The versions that `If-Match` accepts; undefined without one. */
function acceptedVersions({ endpoint }: Call, incoming: InvokedCall): readonly number[] | undefined {
  const ifMatch = ifMatchVersions(incoming.ifMatch)
  // The sender relies on the condition: where it cannot be checked, the call must not go through.
  if (ifMatch === undefined || errorCodesOf(endpoint).includes('version_mismatch')) return ifMatch
  throw failure(
    'invalid_parameter',
    'If-Match is only for changing or deleting one resource that has an ETag; omit it here.',
    { source: { header: 'If-Match' } },
  )
}

/** A request with an `Idempotency-Key`. */
type KeyedRequest = { readonly scope: IdempotencyScope; readonly hash: string }

/** The request under its `Idempotency-Key`; undefined if it has none. */
function keyedRequest(
  { name, endpoint }: Call,
  given: InvokedCall,
  actor: Actor,
  workspaceId: string,
): KeyedRequest | undefined {
  const key = idempotencyKey(given.idempotencyKey)
  if (key === undefined) return undefined
  const scope = { workspaceId, actorId: actorId(actor), endpoint: name, key, secret: endpoint.secret === true }
  return { scope, hash: hashOf(given, actor) }
}

/**
 * Hashes what makes two requests the same. It includes the limits of the credential: a narrower credential of the same
 * person must not receive a stored answer that it would have been refused.
 */
function hashOf({ given, ifMatch }: InvokedCall, actor: Actor): string {
  const narrowing = narrowingOf(actor)
  return createHash('sha256')
    .update(JSON.stringify([given, ifMatch ?? null, ...(narrowing === undefined ? [] : [narrowing])]))
    .digest('base64url')
}

/** The answer that was stored for the same request under its key; undefined for the first of them. */
async function replay(
  { idempotency }: Runtime,
  tx: Tx,
  { scope, hash }: KeyedRequest,
  now: number,
): Promise<StoredAnswer | undefined> {
  const found = await idempotency.begin(tx, scope, hash, now)
  if (found === 'new') return undefined
  if (found === 'running')
    throw new Failure(
      { code: 'idempotency_in_progress', detail: 'A request with this Idempotency-Key is still running.' },
      { retryAfterSeconds: 1 },
    )
  if (found === 'other-request') {
    throw failure(
      'idempotency_key_reused',
      'This Idempotency-Key was used for a different request, or with other scopes, within ' +
        `${idempotencyKeptHours} hours.`,
      { source: { header: 'Idempotency-Key' } },
    )
  }
  // An answer without a body is stored as null.
  return { ...found, body: found.body ?? undefined, headers: { ...found.headers, 'Idempotency-Replayed': 'true' } }
}
