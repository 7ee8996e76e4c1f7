import type { PageEdges } from './parse-list.ts'
import type { ListQuery } from './list-query.ts'

/**
 * The total of a list as its page has it. A long page and its total are read by statements between which others may
 * write (0314): where the page shows where the list ends, that is the total, and elsewhere the total covers what is
 * shown.
 */
export function agreedTotal(
  total: number | undefined,
  { offset, position }: Pick<ListQuery, 'offset' | 'position'>,
  { count, before, after }: Pick<PageEdges, 'count' | 'before' | 'after'>,
): number | undefined {
  if (total === undefined) return undefined
  if (position !== undefined) return Math.max(total, count + Number(before) + Number(after))
  if (after) return Math.max(total, offset + count + 1)
  return count === 0 ? Math.min(total, offset) : offset + count
}
