import type { Actor } from '../../../kernel/actor.ts'

/** Returns whether other scopes include this one: `records:read:person` is included in `records:read`. */
export const isWithin = (scope: string, granted: readonly string[]): boolean =>
  granted.some((one) => scope === one || scope.startsWith(`${one}:`))

/**
 * Returns whether a caller may create, change or revoke a key with these scopes: a key must not give more than the
 * caller's own credential. An empty list stands for everything, on either side.
 */
export const mayHandleScopes = (actor: Actor, scopes: readonly string[]): boolean =>
  actor.scopes.length === 0 || (scopes.length > 0 && scopes.every((scope) => isWithin(scope, actor.scopes)))
