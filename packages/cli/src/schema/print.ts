import { count, print } from '../output.ts'
import type { ObjectPlan } from './objects-plan.ts'
import type { ItemPlan } from './parts/plan.ts'
import { namesIn, type FolderPlan } from './whole.ts'

const signs = { add: '+', update: '~', delete: '-' } as const

/** Longest value that is shown in a line. */
const shownMax = 100

const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? ''
  return text.length > shownMax ? `${text.slice(0, shownMax)}…` : text
}

function changeLine({ op, path: [object, ...rest], val, oldVal }: ObjectPlan['changes'][number], of: string): string {
  const what = [...(object === of ? [] : [object]), ...rest].join('.') || 'object'
  const values = { add: shown(val), update: `${shown(oldVal)} → ${shown(val)}`, delete: shown(oldVal) }
  return `  ${signs[op]} ${what}: ${values[op]}`
}

const named = (one: string, ids: readonly string[]): string[] => ids.map((id) => `  breaks the ${one} ${id}`)

function linesOf({ object, action, changes, lost, violations, breaks }: ObjectPlan): string[] {
  const head = { create: `+ ${object}`, change: `~ ${object}`, delete: `- ${object}` }[action]
  return [
    head,
    ...changes.map((change) => changeLine(change, object)),
    ...lost.map(({ field, reason, count: records }) => `  loses ${field} (${count(records, 'record')}): ${reason}`),
    ...violations.map(
      ({ field, reason, count: records }) => `  refused ${field} (${count(records, 'record')}): ${reason}`,
    ),
    ...named('list', breaks.lists),
    ...named('workflow', breaks.workflows),
  ]
}

function itemLines({ part, name, action, changes }: ItemPlan): string[] {
  const head = { create: '+', change: '~', delete: '-' }[action]
  const shownChanges = action === 'change' ? changes : []
  return [`${head} ${part} ${name}`, ...shownChanges.map((change) => changeLine(change, ''))]
}

/** Prints what applying a folder would do. */
export function printPlan(plan: FolderPlan): void {
  const { objects, items, kept } = plan
  for (const line of [...objects.flatMap(linesOf), ...items.flatMap(itemLines)]) print(line)
  if (kept.length > 0) print(`Not in the files, and kept: ${kept.join(', ')}. --prune deletes them.`)
  if (namesIn(plan).length === 0) print('Nothing differs.')
}
