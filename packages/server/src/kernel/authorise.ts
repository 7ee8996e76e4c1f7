import { roleOf, scopePattern, type Endpoint, type Role, type Scope } from '@kontor/contract'
import { agentOf, isDelegate, type Actor, type Membership } from './actor.ts'
import { failure } from './errors.ts'
import { isString } from '../lib/guards.ts'
import { holdsDeliveries, holdsScope, holdsScopeSomewhere, isForDeliveries } from './scopes.ts'

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 }

/** Spec §5: some endpoints act as a person and accept only a user access token. */
export function requireCaller(endpoint: Endpoint, actor: Actor): void {
  if (endpoint.caller === 'user' && (actor.kind !== 'user' || agentOf(actor) !== undefined)) {
    throw failure('user_token_required', 'This endpoint acts as a person: send a user access token, not an API key.')
  }
}

/** Names in the path of a call. */
type PathNames = { readonly object?: unknown; readonly id?: unknown }

/**
 * Requires the endpoint's scope for the object in its path; without an object there, the scope of any object suffices.
 * Which records a call may read and change beyond that is checked for each object (docs/decisions/0025). Endpoints
 * without a scope are for people and their keys: an app may call them where the endpoint says so, if the app holds any
 * scope at all.
 */
export function requireScope(endpoint: Endpoint, actor: Actor, named: PathNames): void {
  if (endpoint.scope === null) return requireOpen(endpoint, actor)
  const { deliveryScope } = endpoint
  if (deliveryScope !== undefined && holdsDeliveries(actor, deliveryScope, named.id)) return
  const object = isString(named.object) ? named.object : undefined
  if (object === undefined ? holdsScopeSomewhere(actor, endpoint.scope) : holdsScope(actor, endpoint.scope, object))
    return
  const required = leastScope(endpoint.scope, object)
  throw failure('insufficient_scope', `This needs the scope "${required}".`, {
    meta: { required, ...(required !== endpoint.scope && { object }), granted: actor.scopes },
  })
}

/** The least scope that would do: of records the one for the object, unless what stands in the path is no name. */
function leastScope(scope: Scope, object: string | undefined): string {
  const narrowed = `${scope}:${object}`
  return object !== undefined && scopePattern.test(narrowed) ? narrowed : scope
}

function requireOpen({ openToApps }: Endpoint, actor: Actor): void {
  if (isForDeliveries(actor))
    throw failure('insufficient_scope', 'This key can only access the deliveries of a webhook.', {
      meta: { required: null, granted: actor.scopes },
    })
  if (
    !isDelegate(actor) ||
    (openToApps === true ? actor.scopes.length > 0 : openToApps !== undefined && actor.scopes.includes(openToApps))
  )
    return
  throw failure('insufficient_scope', whyClosed(openToApps), {
    meta: { required: typeof openToApps === 'string' ? openToApps : null, granted: actor.scopes },
  })
}

function whyClosed(openToApps: Endpoint['openToApps']): string {
  if (openToApps === true) return 'This needs any scope of the API; it was given none.'
  if (openToApps === undefined)
    return (
      'Apps and agents cannot call this, whatever their scopes: only the person can, with a token or key ' +
      'of their own.'
    )
  return `This needs the scope "${openToApps}", which an app has only where its registration names it.`
}

export const hasRole = (endpoint: Endpoint, { role }: Pick<Membership, 'role'>): boolean =>
  rank[role] >= rank[roleOf(endpoint)]

export function requireRole(endpoint: Endpoint, workspace: Membership): void {
  if (hasRole(endpoint, workspace)) return
  throw failure('forbidden', `This needs the role "${roleOf(endpoint)}"; yours is "${workspace.role}".`)
}
