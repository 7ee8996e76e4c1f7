import { filterConditionsMax, filterDepthMax, meantOperator, type Filter } from '@kontor/contract'
import { holdsFor, type Seen } from './conditions.ts'
import { operatorOf } from './compare.ts'
import { operandsIn } from './operands.ts'
import type { RunScope } from './path.ts'
import type { FillBudget } from './template.ts'

type Leaf = Extract<Filter, { readonly field: string }>

/** A tree with its variables filled in: null where it holds for nothing; and the variables that had no value. */
export type Resolved = { readonly tree: Filter | null; readonly unresolved: readonly string[] }

/**
 * Fills in the variables in the values of a tree. A condition with one that has no value holds for nothing, and neither
 * does its opposite, so what depends on it is left out.
 */
export function resolveTree(tree: Filter, scope: RunScope, zone: string, budget: FillBudget): Resolved {
  const unresolved: string[] = []
  const resolved = (part: Filter, isDenied: boolean): Filter | null => {
    if ('not' in part) return resolved(part.not, !isDenied)
    if ('field' in part) {
      const operands = operandsIn(part.value ?? null, scope, zone, budget)
      unresolved.push(...operands.unresolved)
      if (operands.unresolved.length > 0) return null
      const leaf = withValue(part, operands.value)
      return isDenied ? { not: leaf } : leaf
    }
    const parts = ('and' in part ? part.and : part.or).map((one) => resolved(one, isDenied))
    const known = parts.filter((one) => one !== null)
    // Not all of some is the opposite of one of them.
    if ('and' in part !== isDenied) return known.length < parts.length ? null : { and: known }
    return known.length === 0 ? null : { or: known }
  }
  return { tree: resolved(tree, false), unresolved }
}

/** Fills in the value of a condition. One that its operator needs not, and that says nothing about it, is left out. */
function withValue({ value, ...rest }: Leaf, filled: Leaf['value']): Leaf {
  const operator = operatorOf(rest.op)
  const isIdle = value === undefined || (operator !== undefined && meantOperator(operator, filled) === undefined)
  return { ...rest, ...(!isIdle && { value: filled }) }
}

/** Tells whether a tree whose variables are filled in holds; none does that costs more than the budget has left. */
export const holdsTree = (tree: Filter, seen: Seen, budget: FillBudget): boolean =>
  holdsPart(tree, seen, budget) && budget.left >= 0

function holdsPart(tree: Filter, seen: Seen, budget: FillBudget): boolean {
  if ('and' in tree) return tree.and.every((part) => holdsPart(part, seen, budget))
  if ('or' in tree) return tree.or.some((part) => holdsPart(part, seen, budget))
  if ('not' in tree) return !holdsPart(tree.not, seen, budget)
  return holdsFor(seen, { field: tree.field, operator: tree.op, value: tree.value ?? null }, budget)
}

type PlacedLeaf = { readonly at: readonly (string | number)[]; readonly leaf: Leaf }

/** The conditions of a tree, with where they stand in it. */
export function leavesIn(tree: Filter, at: readonly (string | number)[]): PlacedLeaf[] {
  if ('and' in tree) return tree.and.flatMap((part, index) => leavesIn(part, [...at, 'and', index]))
  if ('or' in tree) return tree.or.flatMap((part, index) => leavesIn(part, [...at, 'or', index]))
  return 'not' in tree ? leavesIn(tree.not, [...at, 'not']) : [{ at, leaf: tree }]
}

/** Returns the limit of filters that a tree exceeds. */
export function treeExcess(tree: Filter): string | undefined {
  const leaves = leavesIn(tree, [])
  if (leaves.some(({ at }) => depthOf(at) > filterDepthMax)) return `can be nested at most ${filterDepthMax} deep`
  return leaves.length > filterConditionsMax ? `can have at most ${filterConditionsMax} conditions` : undefined
}

const depthOf = (at: readonly (string | number)[]): number => at.filter((part) => typeof part === 'string').length
