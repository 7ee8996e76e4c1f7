import { operators, suggestion, type Operator } from '@kontor/contract'
import { fold } from '../../db/fold.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { isOneOf, isString } from '../../lib/guards.ts'
import { fieldTypes } from '../fields/index.ts'

/** A condition on the name of a workflow. */
type NameCondition = { readonly op: Operator; readonly value: string }

/** The conditions of `filter[name]`, which has the operators of text fields; without one it is `Is`. */
export function nameConditions(
  ctx: WorkspaceReadContext<'unknown_operator'>,
  given: string | Readonly<Record<string, string>> | undefined,
): NameCondition[] {
  const allowed = fieldTypes.text.operators
  return Object.entries(isString(given) ? { '': given } : (given ?? {})).map(([name, value]) => {
    const asked = name === '' ? 'Is' : name
    const op = allowed.find((one) => one === asked) ?? allowed.find((one) => isOneOf<string>(operators[one], asked))
    if (op !== undefined) return { op, value: fold(value) }
    throw ctx.fail('unknown_operator', {
      detail: `"name" has no operator "${name.slice(0, 64)}".${suggestion(name, allowed)}`,
      source: { parameter: `filter[name][${name}]` },
      meta: { allowed: [...allowed] },
    })
  })
}
