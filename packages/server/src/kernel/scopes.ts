import { webhookOfScope, type DeliveryScope, type Scope } from '@kontor/contract'
import { isDelegate, type Actor } from './actor.ts'
import { failure, type Failure } from './errors.ts'

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
export const isForDeliveries = ({ scopes }: Actor): boolean =>
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
    `This ${verb === 'read' ? 'reads' : 'changes'} what belongs to the object "${object}", which needs the ` +
    `scope "${required}".`
  return failure('insufficient_scope', detail, { meta: { required, object, granted: actor.scopes } })
}
