import { scopes } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import { narrowingOf } from '../../kernel/authorise.ts'
import { isWithin } from '../identity/api-keys/index.ts'

/** Scopes that decide on what is sent: those to read, but for those that every webhook has to do with. */
const decides = (scope: string): boolean => /^[a-z]+:read\b/.test(scope) && !/^(webhooks|events):/.test(scope)

/**
 * Returns whether a credential may see all that a webhook sends by the credential that made it. One that may see less
 * neither reads what was sent nor directs it elsewhere.
 */
export const maySeeWhatIsSent = (caller: Actor, maker: Actor): boolean => {
  const granted = narrowingOf(caller)
  return (
    granted === undefined || (narrowingOf(maker) ?? scopes).filter(decides).every((scope) => isWithin(scope, granted))
  )
}
