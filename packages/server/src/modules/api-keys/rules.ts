import type { Actor } from '../../kernel/actor.ts'

/** Whether one scope lies within others: `records:read:person` within `records:read`. */
const within = (scope: string, granted: readonly string[]): boolean =>
  granted.some((one) => scope === one || scope.startsWith(`${one}:`))

/**
 * Whether a caller may make, change or revoke a key with these scopes: nobody gets from a key what their own
 * credential does not give. An empty list stands for everything, on either side.
 */
export const mayHandleScopes = (actor: Actor, scopes: readonly string[]): boolean =>
  actor.scopes.length === 0 || (scopes.length > 0 && scopes.every((scope) => within(scope, actor.scopes)))
