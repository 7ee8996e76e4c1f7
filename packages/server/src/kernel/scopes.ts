import type { Scope } from '@kontor/contract'
import { isApp, type Actor } from './actor.ts'
import { failure, type Failure } from './errors.ts'

/** What a call does with records, as scopes name it. */
export type RecordVerb = 'read' | 'write' | 'delete'

/** Whether a credential is narrowed at all: an empty list of scopes means everything, but to an app nothing. */
const isNarrowed = (actor: Actor): boolean => actor.scopes.length > 0 || isApp(actor)

/** What a credential is narrowed to, in one order; undefined for one that is not. */
export const narrowingOf = (actor: Actor): readonly string[] | undefined =>
  isNarrowed(actor) ? actor.scopes.toSorted() : undefined

/** Whether a credential opens an area, and with an object that area for its records: `records:read:person` opens no other. */
export function holdsScope(actor: Actor, scope: Scope, object?: string): boolean {
  if (!isNarrowed(actor) || actor.scopes.includes(scope)) return true
  return object !== undefined && actor.scopes.includes(`${scope}:${object}`)
}

/** Whether a credential opens an area for the records of any object: which they are is asked where they are read. */
export const holdsScopeSomewhere = (actor: Actor, scope: Scope): boolean =>
  holdsScope(actor, scope) || actor.scopes.some((one) => one.startsWith(`${scope}:`))

/** Areas that open what stands beside records: members are records as well, lists are none. */
const areas: ReadonlyMap<string, Scope> = new Map([
  ['user', 'members:read'],
  ['list', 'lists:read'],
])

/** Whether a credential opens what a call does with records of an object. */
export function mayTouch(actor: Actor, verb: RecordVerb, object: string): boolean {
  const area = areas.get(object)
  return (
    holdsScope(actor, `records:${verb}`, object) || (verb === 'read' && area !== undefined && holdsScope(actor, area))
  )
}

/** 403 for records of an object that a credential is narrowed away from; `meta.required` is the least that opens them. */
export function scopeMissing(actor: Actor, verb: RecordVerb, object: string): Failure {
  const required = object === 'list' ? 'lists:read' : `records:${verb}:${object}`
  const detail = `This ${verb === 'read' ? 'reads' : 'changes'} what belongs to the object "${object}", which needs the scope "${required}".`
  return failure('insufficient_scope', detail, { meta: { required, object, granted: actor.scopes } })
}
