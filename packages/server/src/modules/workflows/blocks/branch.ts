import { z } from 'zod'
import { nodeFilter, nodeFiltersMax, nodeKey } from '@kontor/contract'
import { isList, isString, memberOf } from '../../../lib/guards.ts'
import { diffIn } from '../language/changes.ts'
import { holds } from '../language/conditions.ts'
import { block } from '../plugins/plugin.ts'

/** Ways that one block may lead. */
const branchesMax = 20

const branchInput = z.strictObject({
  label: z.string().min(1).max(200).optional().meta({ example: 'Large' }),
  filters: z.array(nodeFilter).max(nodeFiltersMax).meta({ description: 'All must hold; none hold always.' }),
  next: nodeKey.nullable().meta({ description: 'The block that follows; null ends the run.' }),
})

export const branch = block({
  id: 'general:branch',
  title: 'Branch',
  description:
    'Goes on with the first branch whose filters hold, and with the `next` of the node itself where none does.',
  types: ['workflow'],
  input: z.strictObject({ branches: z.array(branchInput).min(1).max(branchesMax) }),
  output: z.object({
    branch: z
      .union([z.string(), z.int()])
      .nullable()
      .meta({ description: 'The label of the branch, or its position from 0 if it has none; null of none.' }),
  }),
  isPure: true,
  branches: ({ branches }) =>
    isList(branches) ? branches.map((way) => memberOf(way, 'next')).filter((key) => isString(key)) : [],
  filters: ({ branches }) =>
    (isList(branches) ? branches : []).flatMap((way, index) => {
      const parsed = branchInput.safeParse(way)
      const filters = parsed.success ? parsed.data.filters : []
      return filters.map((filter, position) => ({ at: ['branches', index, 'filters', position], filter }))
    }),
  async run({ scope, now }, { branches }) {
    const seen = { scope, diff: diffIn(scope), now }
    const index = branches.findIndex(({ filters }) => holds(filters, seen))
    const taken = branches[index]
    if (taken === undefined) return { state: 'done', output: { branch: null } }
    return { state: 'done', output: { branch: taken.label ?? index }, next: taken.next }
  },
})
