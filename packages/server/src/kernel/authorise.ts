import { roleOf, type Endpoint, type Role } from '@kontor/contract'
import { isApp, type Actor, type Membership } from './actor.ts'
import { failure } from './errors.ts'
import { holdsScope, holdsScopeSomewhere } from './scopes.ts'

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 }

/** Spec §5: some endpoints act as a person and accept only a user access token. */
export function requireCaller(endpoint: Endpoint, actor: Actor): void {
  if (endpoint.caller === 'user' && actor.kind !== 'user') {
    throw failure('user_token_required', 'This endpoint acts as a person: send a user access token, not an API key.')
  }
}

/**
 * The scope of the endpoint itself, for the object in its path; where there is none, that of any object will do. Which records
 * a call may read and change beyond that is asked for each object (docs/decisions/0105). What asks for no scope is for people
 * and their keys: an app gets in where the endpoint says so, if it may do anything at all.
 */
export function requireScope(endpoint: Endpoint, actor: Actor, object: string | undefined): void {
  if (endpoint.scope === null) return requireOpenToApps(endpoint, actor)
  if (object === undefined ? holdsScopeSomewhere(actor, endpoint.scope) : holdsScope(actor, endpoint.scope, object)) return
  throw failure('insufficient_scope', `This needs the scope "${endpoint.scope}".`, { meta: { required: endpoint.scope, granted: actor.scopes } })
}

function requireOpenToApps(endpoint: Endpoint, actor: Actor): void {
  if (!isApp(actor) || (endpoint.openToApps === true && actor.scopes.length > 0)) return
  const detail = endpoint.openToApps === true ? 'This needs any scope of the API; the app was given none.' : 'No scope opens this to an app: it is for the person alone, with a token or key of their own.'
  throw failure('insufficient_scope', detail, { meta: { required: null, granted: actor.scopes } })
}

export function requireRole(endpoint: Endpoint, { role }: Membership): void {
  const needed = roleOf(endpoint)
  if (rank[role] >= rank[needed]) return
  throw failure('forbidden', `This needs the role "${needed}"; yours is "${role}".`)
}
