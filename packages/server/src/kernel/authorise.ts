import { roleOf, type Endpoint, type Role } from '@kontor/contract'
import type { Actor, Membership } from './actor.ts'
import { failure } from './errors.ts'

const rank: Readonly<Record<Role, number>> = { viewer: 0, member: 1, admin: 2 }

/** Spec §5: some endpoints act as a person and accept only a user access token. */
export function requireCaller(endpoint: Endpoint, actor: Actor): void {
  if (endpoint.caller === 'user' && actor.kind !== 'user') {
    throw failure('user_token_required', 'This endpoint acts as a person: send a user access token, not an API key.')
  }
}

/** An empty list of scopes means everything; `records:read:person` opens `records:read` for that object alone. */
export function requireScope(endpoint: Endpoint, actor: Actor, object: string | undefined): void {
  if (endpoint.scope === null || actor.scopes.length === 0) return
  const narrowed = object === undefined ? [] : [`${endpoint.scope}:${object}`]
  if ([endpoint.scope, ...narrowed].some((scope) => actor.scopes.includes(scope))) return
  throw failure('insufficient_scope', `This needs the scope "${endpoint.scope}".`, { meta: { required: endpoint.scope, granted: actor.scopes } })
}

export function requireRole(endpoint: Endpoint, { role }: Membership): void {
  const needed = roleOf(endpoint)
  if (rank[role] >= rank[needed]) return
  throw failure('forbidden', `This needs the role "${needed}"; yours is "${role}".`)
}
