import type { Role } from '@kontor/contract'
import type { WriteContext } from '../../../kernel/implement.ts'
import { isNarrowed } from '../../../kernel/authorise.ts'

/** An admin may do more than a credential with scopes, so that none makes one: it would outlive its limits. */
export function requireMayGive(ctx: WriteContext, role: Role): void {
  if (role !== 'admin' || !isNarrowed(ctx.actor)) return
  throw ctx.fail('forbidden', {
    detail: 'A credential with scopes can assign the roles member and viewer, but not admin.',
    meta: { granted: ctx.actor.scopes },
  })
}
