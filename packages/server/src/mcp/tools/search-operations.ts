import { isStream } from '@kontor/contract'
import { z } from 'zod'
import type { Call } from '../../kernel/calls.ts'
import { table } from '../../markdown/index.ts'
import { tool } from '../tool.ts'

/** Returns whether a tool may carry out an operation: streams do not end, and addresses are for other programs. */
export const isExecutable = ({ endpoint }: Call): boolean => !isStream(endpoint) && endpoint.caller !== 'address'

const wordsOf = (text: string): string[] => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? []

/** Returns how many of the words are in the name, the path or the summary; those in the name count twice. */
function score({ name, endpoint: { path, summary, description } }: Call, words: readonly string[]): number {
  const near = `${name.replaceAll(/([a-z])([A-Z])/g, '$1 $2')} ${summary}`.toLowerCase()
  const far = `${path} ${description}`.toLowerCase()
  return words.reduce((sum, word) => sum + (near.includes(word) ? 3 : far.includes(word) ? 1 : 0), 0)
}

export const searchOperations = tool({
  name: 'search_operations',
  title: 'Search operations of the API',
  description:
    'Finds operations for everything that the other tools cannot do, such as campaigns, merges, webhooks or members.',
  uses: [],
  input: z.strictObject({
    query: z.string().min(1).max(200).meta({ description: 'For example: merge records.' }),
    limit: z.int().min(1).max(50).default(10),
  }),
  async run({ calls }, { query, limit }) {
    const words = wordsOf(query).map((word) => word.replace(/s$/, ''))
    const found = calls
      .filter(isExecutable)
      .map((call) => ({ call, points: score(call, words) }))
      .filter(({ points }) => points > 0)
      .toSorted((a, b) => b.points - a.points)
      .slice(0, limit)
    if (found.length === 0) return 'No operation matches. Try other words, such as the name of an object.'
    const rows = found.map(({ call: { name, endpoint } }) => [name, endpoint.method, endpoint.summary])
    return `${table(['operation', 'method', 'summary'], rows)}\n\nNext: \`describe_operation\`, then \`execute\`.`
  },
})
