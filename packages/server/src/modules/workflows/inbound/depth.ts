import { causeOf, type Actor } from '../../../kernel/actor.ts'

/**
 * Says, in requests of workflows, how many workflows have triggered one another so far, so that two that send to each
 * other come to an end.
 */
const depthHeader = 'kontor-workflow-depth'

const depthShape = /^\d{1,3}$/

/** How many workflows have triggered one another before a request came in. */
export function depthIn(headers: Readonly<Record<string, string>>): number {
  const given = headers[depthHeader]
  return given !== undefined && depthShape.test(given) ? Number(given) : 0
}

/** The header of a request that the run of a workflow sends. */
export const depthHeaders = (actor: Actor): Readonly<Record<string, string>> => ({
  [depthHeader]: String(causeOf(actor)?.depth ?? 0),
})
