import type { WriteContext } from '../../kernel/implement.ts'
import { invariant } from '../../lib/guards.ts'

/** The context of a change that no unique field is part of. */
export const withoutUniques = (ctx: WriteContext): WriteContext<'unique_violation' | 'match_ambiguous'> => ({
  ...ctx,
  attempt: (work) => ctx.attempt((inner) => work(withoutUniques(inner))),
  fail(code, fault) {
    invariant(code !== 'unique_violation' && code !== 'match_ambiguous', 'no value is unique here')
    return ctx.fail(code, fault)
  },
})
