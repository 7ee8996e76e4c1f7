import { inWorkspace, type Endpoint } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { actorId, type Actor, type Membership } from '../actor.ts'
import { requireCaller, requireRole, requireScope } from '../authorise.ts'
import type { Call } from '../calls.ts'
import { Failure, failure } from '../errors.ts'
import { bucketOf, rateHeaders } from '../rate-limit.ts'
import type { HeaderSink, Incoming, Runtime } from './runtime.ts'

/** The caller, and the workspace that the call names, if any. */
export type Identity = { readonly actor: Actor; readonly workspace: Membership | undefined }

/** Identifies the caller, counts the call against the rate limit, and checks that the caller may make it. */
export async function identify(
  runtime: Runtime,
  call: Call,
  incoming: Incoming,
  headers: HeaderSink,
): Promise<Identity> {
  const { endpoint } = call
  const actor = incoming.actor ?? (await callerOf(runtime, incoming))
  const workspace = await findWorkspace(runtime, endpoint, actor, incoming)
  if (incoming.actor === undefined) limit(runtime, call, workspace?.workspaceId ?? actorId(actor), headers)
  authorise(endpoint, actor, workspace, incoming)
  return { actor, workspace }
}

/** The caller by their credential, in the chain of workflows that the request goes on with. */
async function callerOf(
  { authenticate, readChain }: Runtime,
  { authorization, chain: header }: Incoming,
): Promise<Actor> {
  const actor = await authenticate(authorization)
  const chain = readChain(header)
  return chain === undefined ? actor : { ...actor, chain }
}

/** Finds and checks the membership again, for an attempt after the schemas have changed. */
export async function enterAgain(
  runtime: Runtime,
  endpoint: Endpoint,
  actor: Actor,
  incoming: Incoming,
): Promise<Membership> {
  const workspace = await findWorkspace(runtime, endpoint, actor, incoming)
  authorise(endpoint, actor, workspace, incoming)
  return defined(workspace)
}

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
  if (!inWorkspace(endpoint)) return requireScope(endpoint, actor, {})
  if (workspace === undefined) throw failure('not_found', 'There is no such workspace.')
  requireScope(endpoint, actor, scope)
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
  const detail = `At most ${policy.limit} concurrent requests, and as many in ${policy.windowSeconds} seconds.`
  throw new Failure({ code: 'rate_limited', detail }, { retryAfterSeconds: state.retryAfterSeconds })
}
