import { chainOf, type Actor, type Chain } from '../../../kernel/actor.ts'
import { chainHeader } from '../../../kernel/preconditions.ts'
import type { ArrivalHeaders } from '../../../kernel/implement.ts'
import type { KeyRing } from '../../../lib/key-ring.ts'
import { isString } from '../../../lib/guards.ts'

const purpose = 'workflow.chain'

/** The header of a request that tells which chain it comes of. It is signed: no one else can write one. */
export const chainHeadersOf =
  (keys: KeyRing) =>
  (chain: Chain | undefined): Readonly<Record<string, string>> => {
    if (chain === undefined) return {}
    return { [chainHeader]: keys.sign(Buffer.from(`${chain.depth} ${chain.sender}`), purpose) }
  }

/** The header of a request that the run of a workflow sends. */
export const chainHeaders =
  (keys: KeyRing) =>
  (actor: Actor): Readonly<Record<string, string>> =>
    chainHeadersOf(keys)(chainOf(actor))

/** The chain that a request goes on with; undefined where it begins one, or says what we have not signed. */
export const chainReader =
  (keys: KeyRing) =>
  (given: ArrivalHeaders[string] | undefined): Chain | undefined => {
    const content = isString(given) ? keys.verify(given, purpose) : undefined
    if (content === undefined) return undefined
    const [depth, sender = ''] = content.toString().split(' ')
    return { sender, depth: Number(depth) }
  }
