import { z } from 'zod'
import { nodeKey } from '@kontor/contract'
import { isList, isString } from '../../lib/guards.ts'
import { FilledTooMuch, fillText, type RunScope } from '../templates/index.ts'
import { block, StepFailure } from '../plugins/index.ts'

/** Items of one list. */
const itemsMax = 10_000

/** The size of the list, as JSON. */
const charactersMax = 1 << 26

/**
 * Runs a chain of blocks once for each item of a list, one after another. The run comes back to it where the chain ends
 * (docs/decisions/0158). A list that a variable names is looked up and not filled in: it may be larger than an input.
 */
export const forEach = block({
  id: 'general:for-each',
  title: 'For each item',
  description:
    'Runs the blocks that start with `do` once for each item of a list, one after another, and then ' +
    'continues with the `next` of the node. The blocks read the item as ' +
    '`{{<block>.state.output.item}}` and end with `next: null`. A run shows the number of processed ' +
    'items as `progress`; a step that fails ends the run, and a retry continues with that item.',
  types: ['workflow'],
  input: z.strictObject({
    items: z.union([z.string().min(1), z.array(z.unknown()).max(itemsMax)]).meta({
      description: `A list of up to ${itemsMax} items, or a variable that names one.`,
      example: '{{find.state.output.records}}',
    }),
    do: nodeKey.meta({ description: 'The first block of the chain.', example: 'remind' }),
  }),
  output: z.object({
    item: z.unknown().meta({ description: 'The current item; null after the last one.' }),
    index: z
      .int()
      .meta({ description: 'The position of the item in the list, from 0; after the last one, the number of items.' }),
    total: z.int(),
  }),
  verbatim: ['items'],
  lookedUp: ['items'],
  isPure: true,
  repeats: true,
  branches: ({ do: first }) => (isString(first) ? [first] : []),
  async run({ scope, iteration: index }, { items: given, do: first }) {
    const items = itemsOf(given, scope)
    const total = items.length
    if (index >= total) return { state: 'done', output: { item: null, index: total, total } }
    return { state: 'done', output: { item: items[index] ?? null, index, total }, next: first, isRepeated: true }
  },
})

function itemsOf(given: string | readonly unknown[], scope: RunScope): readonly unknown[] {
  const items = isString(given) ? (filledIn(given, scope) ?? []) : given
  if (!isList(items)) {
    const detail = '`items` must be a list, or a variable that names one.'
    throw new StepFailure('invalid_input', detail, { faulty: [['items']] })
  }
  if (items.length > itemsMax) throw new StepFailure('invalid_input', `\`items\` has more than ${itemsMax} items.`)
  return items
}

/** Fills in a text, of which only a variable by itself can be a list. */
function filledIn(text: string, scope: RunScope): unknown {
  try {
    return fillText(text, scope, 'utc', { left: charactersMax })
  } catch (error) {
    if (error instanceof FilledTooMuch) return text
    throw error
  }
}
