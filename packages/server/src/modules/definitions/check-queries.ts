import { filterTree, sortList } from '@kontor/contract'
import { Failure } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import type { ObjectModel } from '../objects/index.ts'
import { resolveSort } from '../query/index.ts'
import { leavesIn, treeExcess, variablesIn } from '../templates/index.ts'
import type { GraphFault } from './graph.ts'
import { fromTree, resolveFilter, type FilterContext } from '../filters/index.ts'

type QueryPlace = { readonly path: GraphFault['path']; readonly input: Readonly<Record<string, unknown>> }

/** Errors of a condition whatever its value is. */
const ofNames: ReadonlySet<string> = new Set(['unknown_field', 'unknown_operator'])

/** Checks the filter and the order by which a block finds records of an object: names, and values that are known. */
export async function queryFaults(
  ctx: WorkspaceReadContext,
  { path, input }: QueryPlace,
  object: ObjectModel,
): Promise<GraphFault[]> {
  const asking: FilterContext = { ...ctx, fail: (code, fault) => new Failure({ code, ...fault }) }
  const [filter, sort] = [filterTree.safeParse(input['filter']), sortList.safeParse(input['sort'])]
  const faults: GraphFault[] = []
  const excess = filter.success ? treeExcess(filter.data) : undefined
  if (excess !== undefined) return [{ path: [...path, 'filter'], detail: `A filter ${excess}.` }]
  for (const { at, leaf } of filter.success ? leavesIn(filter.data, ['filter']) : []) {
    const failure = await failureOf(resolveFilter(asking, object, fromTree(leaf, ''), () => ({ pointer: '' })))
    // Only the run knows the value of a variable.
    if (failure !== undefined && (ofNames.has(failure.code) || variablesIn(leaf.value).length === 0))
      faults.push(faultOf([...path, ...at], failure))
  }
  for (const [index, by] of sort.success ? sort.data.entries() : []) {
    const failure = await failureOf(resolveSort(asking, object, [by], () => ({ pointer: '' })))
    if (failure !== undefined && variablesIn(by.column).length === 0)
      faults.push(faultOf([...path, 'sort', index, 'column'], failure))
  }
  return faults
}

const faultOf = (path: GraphFault['path'], { message, faults: [fault] }: Failure): GraphFault => ({
  path,
  detail: fault?.detail ?? message,
})

/** Returns the fault of a query; undefined if it has none. */
const failureOf = (asked: Promise<unknown>): Promise<Failure | undefined> =>
  asked.then(
    () => undefined,
    (error: unknown) => {
      if (error instanceof Failure) return error
      throw error
    },
  )
