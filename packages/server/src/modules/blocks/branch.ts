import { z } from 'zod'
import { filterTree, nodeKey } from '@kontor/contract'
import { isList, isString, memberOf } from '../../lib/guards.ts'
import { diffIn, conditionBudget, holdsTree, leavesIn, resolveTree, treeExcess } from '../templates/index.ts'
import { block, type PlacedCondition } from '../plugins/index.ts'

/** Ways that one block may lead. */
const branchesMax = 20

const arm = z.strictObject({
  key: z.string().min(1).max(64).meta({ description: 'The name of the branch in the output.', example: 'large' }),
  filter: filterTree
    .superRefine((tree, context) => {
      const excess = treeExcess(tree)
      if (excess !== undefined) context.addIssue({ code: 'custom', message: excess })
    })
    .meta({
      description:
        'A condition, or a tree of them with `and`, `or` and `not`, whose fields are paths: `state.…` of ' +
        'the trigger, or `<block>.state.output.…`. Values can be variables; a condition whose variable has ' +
        'no value is false.',
      example: { field: 'state.event.object.data.amount', op: 'Greater than', value: 10_000 },
    }),
  next: nodeKey.nullable().meta({ description: 'The block that follows; null ends the run.' }),
})

const branches = z
  .array(arm)
  .min(1)
  .max(branchesMax)
  .superRefine((arms, context) => {
    arms.forEach(({ key }, index) => {
      if (arms.findIndex((one) => one.key === key) < index)
        context.addIssue({ code: 'custom', path: [index, 'key'], message: `another branch has the key "${key}"` })
    })
  })
  .meta({
    example: [
      {
        key: 'large',
        filter: { field: 'state.event.object.data.amount', op: 'Greater than', value: 10_000 },
        next: null,
      },
    ],
  })

export const branch = block({
  id: 'general:branch',
  title: 'Branch',
  description: 'Continues with the first branch whose filter is true, and with the `next` of the node if none is.',
  types: ['workflow'],
  input: z.strictObject({ branches }),
  output: z.object({
    branch: z.string().nullable().meta({ description: 'The key of the branch; null if no filter is true.' }),
  }),
  conditional: ['branches'],
  isPure: true,
  branches: (input) =>
    armsIn(input)
      .map((one) => memberOf(one, 'next'))
      .filter(isString),
  conditions: (input) => armsIn(input).flatMap(conditionsOf),
  async run({ scope, now, localTime }, { branches: arms }) {
    const local = await localTime()
    const seen = { scope, diff: diffIn(scope), when: { now, ...local } }
    const budget = conditionBudget()
    const unresolved: string[] = []
    for (const { key, filter, next } of arms) {
      const resolved = resolveTree(filter, scope, local.zone, budget)
      unresolved.push(...resolved.unresolved)
      if (resolved.tree !== null && holdsTree(resolved.tree, seen, budget))
        return { state: 'done', output: { branch: key }, next, unresolved }
    }
    return { state: 'done', output: { branch: null }, unresolved }
  },
})

const armsIn = ({ branches: arms }: Readonly<Record<string, unknown>>): readonly unknown[] => (isList(arms) ? arms : [])

function conditionsOf(one: unknown, index: number): PlacedCondition[] {
  const parsed = filterTree.safeParse(memberOf(one, 'filter'))
  if (!parsed.success) return []
  return leavesIn(parsed.data, ['branches', index, 'filter']).map(({ at, leaf: { field, op, value } }) => ({
    at,
    field,
    operator: { name: op, at: [...at, 'op'] },
    value: { given: value, at: [...at, 'value'] },
  }))
}
