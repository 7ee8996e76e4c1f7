import type { ListExplanation } from '@kontor/contract'
import type { PlannedRequest } from './planner.ts'
import type { IsIndexUsable } from '../access-paths/access-path.ts'
import type { MissingIndex } from '../access-paths/missing-indexes.ts'

type Known = {
  readonly wanted: readonly MissingIndex[]
  readonly usable: IsIndexUsable
  readonly isBuilding: IsIndexUsable
}

/** Describes the plan of a list in sentences, and names the indexes that the list uses or could use. */
export function explainPlan(
  request: PlannedRequest,
  { wanted, usable, isBuilding }: Known,
): Pick<ListExplanation, 'plan' | 'indexes'> {
  const indexes = wanted.map(({ object, index: { column, kind } }) => {
    const state = usable(object, column, kind)
      ? ('ready' as const)
      : isBuilding(object, column, kind)
        ? ('building' as const)
        : ('absent' as const)
    return { object: object.name, field: column.name, kind, state }
  })
  return {
    plan: [pageInWords(request), totalInWords(request)],
    indexes: indexes.filter(
      (one, at) =>
        indexes.findIndex(
          (other) => other.field === one.field && other.object === one.object && other.kind === one.kind,
        ) === at,
    ),
  }
}

function pageInWords({ plan: { page }, sort, filter, object }: PlannedRequest): string {
  const columns = sort.map(({ column }) => column.name).join(', ')
  if (page.by === 'matches') return `Finds records by ${page.source.label}, and sorts them by ${columns}.`
  if (page.by === 'source')
    return `Finds records by ${page.source.label}, checks the filter on each, and sorts them by ${columns}.`
  if (page.by === 'found' || page.by === 'few')
    return `Finds the records by ${page.label}, and sorts them by ${columns}.`
  if (page.by === 'id-set') return `Reads ${page.members.label} in their order.`
  if (page.by === 'records')
    return (
      `Reads the ${object.name} records by ` +
      `${columns}${filter === undefined ? '' : ', and checks the filter on each'}.`
    )
  const looks = page.indexOnly
    ? 'looks at the records of the page alone'
    : filter === undefined
      ? 'looks at each record'
      : 'checks the filter on each record'
  return `Walks the index of ${sort[0]?.column.name} in its order, and ${looks}.`
}

function totalInWords({ plan: { total }, object }: PlannedRequest): string {
  if (total.by === 'counter') return 'The total is the counter of the object.'
  if (total.by === 'id-set') return `The total is the number of ${total.members.label}.`
  if (total.by === 'found') return 'The total is the number of records found.'
  if (total.by === 'public-and-private')
    return (
      'The total is what is shared with the ' +
      `workspace${total.sources.length + total.without.length === 0 ? ', by its counter' : `, counted in ${wordsOf(total)}`}, ` +
      'and what else the caller may see.'
    )
  if (total.by === 'records') return `The total is counted on all ${object.name} records.`
  return total.by === 'source'
    ? `The total is counted on the records found by ${total.source.label}.`
    : `The total is counted in ${wordsOf(total)} alone.`
}

const wordsOf = ({
  sources,
  without,
}: Pick<Extract<PlannedRequest['plan']['total'], { by: 'indexes' }>, 'sources' | 'without'>): string =>
  [...sources, ...without].map(({ label }) => label).join(' and ')
