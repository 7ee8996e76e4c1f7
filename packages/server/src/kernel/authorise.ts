import {
  roleOf,
  scopePattern,
  webhookOfScope,
  type Endpoint,
  type Role,
  type Scope,
  type DeliveryScope,
} from '@kontor/contract'
import { agentOf, isDelegate, type Actor, type Membership } from './actor.ts'
import { failure, type Failure } from './errors.ts'
import { isString } from '../lib/guards.ts'

/** An action on records, as scopes name it. */
export type RecordVerb = 'read' | 'write' | 'delete'

/**
 * Returns whether a credential is limited at all: an empty list of scopes allows everything, but allows an app or an
 * agent nothing.
 */
export const isNarrowed = (actor: Actor): boolean => actor.scopes.length > 0 || isDelegate(actor)

/** The scopes that a credential is limited to, in one order; undefined for an unlimited one. */
export const narrowingOf = (actor: Actor): readonly string[] | undefined =>
  isNarrowed(actor) ? actor.scopes.toSorted() : undefined

/**
 * Returns whether a credential covers an area, or, given an object, that area for its records: `records:read:person`
 * covers only persons.
 */
export function holdsScope(actor: Actor, scope: Scope, object?: string): boolean {
  if (!isNarrowed(actor) || actor.scopes.includes(scope)) return true
  return object !== undefined && actor.scopes.includes(`${scope}:${object}`)
}

/** Returns whether some of the scopes are of an area, be it for the records of one object. */
export const coverSomewhere = (scopes: readonly string[], area: Scope): boolean =>
  scopes.some((one) => one === area || one.startsWith(`${area}:`))

/**
 * Returns whether a credential covers an area for the records of any object; which object is checked where records are
 * read.
 */
export const holdsScopeSomewhere = (actor: Actor, scope: Scope): boolean =>
  !isNarrowed(actor) || coverSomewhere(actor.scopes, scope)

/** Returns whether a key was given the deliveries of a webhook by name. */
export const holdsDeliveries = ({ scopes }: Actor, scope: DeliveryScope, webhookId: unknown): boolean =>
  scopes.includes(`${scope}:${String(webhookId)}`)

/** Returns whether a key is for the deliveries of webhooks alone, for somebody who is told nothing else. */
const isForDeliveries = ({ scopes }: Actor): boolean =>
  scopes.length > 0 && scopes.every((scope) => webhookOfScope(scope) !== undefined)

/** Those among some scopes that a credential does not hold itself. */
export const scopesMissing = (actor: Actor, scopes: readonly string[]): string[] =>
  isNarrowed(actor)
    ? scopes.filter((scope) => !actor.scopes.some((own) => scope === own || scope.startsWith(`${own}:`)))
    : []

/** Areas whose scope also covers resources other than records: members are also records, lists are not. */
const areas: ReadonlyMap<string, Scope> = new Map([
  ['user', 'members:read'],
  ['list', 'lists:read'],
])

/** Returns whether a credential allows what a call does with records of an object. */
export function mayTouch(actor: Actor, verb: RecordVerb, object: string): boolean {
  const area = areas.get(object)
  return (
    holdsScope(actor, `records:${verb}`, object) || (verb === 'read' && area !== undefined && holdsScope(actor, area))
  )
}

/** 403 for records of an object that a credential does not cover; `meta.required` is the smallest scope that would. */
export function scopeMissing(actor: Actor, verb: RecordVerb, object: string): Failure {
  const required = object === 'list' ? 'lists:read' : `records:${verb}:${object}`
  const detail =
    `This ${verb === 'read' ? 'reads' : 'changes'} data of the object "${object}", which requires the scope ` +
    `"${required}".`
  return failure('insufficient_scope', detail, { meta: { required, object, granted: actor.scopes } })
}

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 }

/** Spec §5: some endpoints act as a person and accept only a user access token. */
export function requireCaller(endpoint: Endpoint, actor: Actor): void {
  if (endpoint.caller === 'user' && (actor.kind !== 'user' || agentOf(actor) !== undefined)) {
    throw failure('user_token_required', 'This endpoint requires a user access token; API keys are not accepted.')
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
  throw failure('insufficient_scope', `This requires the scope "${required}".`, {
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
  if (openToApps === true) return 'This requires at least one scope of the API; the credential has none.'
  if (openToApps === undefined)
    return 'Apps and agents cannot call this, whatever their scopes. Use a token or key of the person.'
  return `This requires the scope "${openToApps}", which an app only has if it is registered with it.`
}

/** Returns whether a role has fewer rights than another. */
export const isLowerRole = (role: Role, than: Role): boolean => rank[role] < rank[than]

export const hasRole = (endpoint: Endpoint, { role }: Pick<Membership, 'role'>): boolean =>
  !isLowerRole(role, roleOf(endpoint))

export function requireRole(endpoint: Endpoint, workspace: Membership): void {
  if (hasRole(endpoint, workspace)) return
  throw failure('forbidden', `This requires the role "${roleOf(endpoint)}"; yours is "${workspace.role}".`)
}
