import type { Filter, RecordMatch, RecordReference } from '@kontor/contract'
import { defined } from '../../lib/guards.ts'
import { StepFailure, type BlockContext } from '../plugins/index.ts'

/** Returns the id of a record that a step names by its id or by a unique value. */
export const idOf = async (context: BlockContext, object: string, given: RecordReference): Promise<string> =>
  defined((await idsOf(context, object, [given]))[0])

/** Does the same for several records. */
export async function idsOf(
  context: BlockContext,
  object: string,
  given: readonly RecordReference[],
): Promise<string[]> {
  const ids: string[] = []
  for (const one of given) ids.push(typeof one === 'string' ? one : await findId(context, object, one))
  return ids
}

/** Finds the record with a unique value among those that the owner of the workflow sees. */
async function findId({ call, workspace, objectNamed }: BlockContext, object: string, { match }: RecordMatch) {
  const [field, value] = defined(Object.entries(match)[0])
  const uniques = (await objectNamed(object))?.uniques.map(({ name }) => name) ?? []
  if (!uniques.includes(field))
    throw new StepFailure(
      'invalid_input',
      `"${field}" is not a unique field of ${object}; ` +
        `${uniques.length === 0 ? 'it has none' : `allowed: ${uniques.join(', ')}`}.`,
    )
  const values = typeof value === 'object' ? value.items : [value]
  const filter: Filter = { or: values.map((one) => ({ field, op: 'Is' as const, value: one })) }
  const body = { filter, page: { offset: 0, limit: 2 } }
  const { data } = await call('resources.query', { workspace: workspace.slug, object, body })
  const [found, other] = data
  const named = `${object} whose ${field} is ${JSON.stringify(value).slice(0, 200)}`
  if (found === undefined) throw new StepFailure('not_found', `There is no ${named}.`)
  if (other !== undefined) throw new StepFailure('match_ambiguous', `There are several ${named}.`)
  return found.id
}

/** Returns the object at the other end of a relationship; empty where there is none, which its operation refuses. */
export const otherObject = async ({ objectNamed }: BlockContext, object: string, relationship: string) =>
  (await objectNamed(object))?.fields.get(relationship)?.relationship?.entity ?? ''
