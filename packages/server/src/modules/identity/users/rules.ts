import type { Role } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'
import { isNarrowed } from '../../../kernel/scopes.ts'

/** An admin may do more than a credential with scopes, so that none makes one: it would outlive its limits. */
export function requireMayGive(ctx: WriteContext, role: Role): void {
  if (role !== 'admin' || !isNarrowed(ctx.actor)) return
  throw ctx.fail('forbidden', {
    detail: 'A credential that is narrowed to scopes makes members and viewers, and nobody an admin.',
    meta: { granted: ctx.actor.scopes },
  })
}
