import { scopes, type WorkflowGraph } from '@kontor/contract'
import type { Actor } from '../../kernel/actor.ts'
import { holdsScope, mayTouch, narrowingOf, scopesMissing } from '../../kernel/authorise.ts'
import { isString, memberOf } from '../../lib/guards.ts'
import { actorOf } from '../identity/acting/index.ts'
import { showsInputs, type DefinitionKind } from '../definitions/index.ts'
import { variablesIn } from '../templates/index.ts'
import type { RunRow } from './store.ts'
import type { StepContents, StepHead } from './steps/store.ts'

/** Bytes of JSON that one response shows of the steps of a run. */
const shownBytesMax = 1024 * 1024

/** The steps whose contents fit into one response, from the first on; larger ones are read one by one. */
export function fittingSteps(steps: readonly StepHead[]): number[] {
  let left = shownBytesMax
  return steps.flatMap(({ number, bytes }) => {
    if (bytes > left) return []
    left -= bytes
    return [number]
  })
}

/** The contents of a run that a response shows: those of some steps, or nothing to a credential that may see less. */
export type ShownContents = ReadonlyMap<number, StepContents> | 'withheld'

/** Blocks that may read anything that the one as whom they run may. */
const readsAnything: ReadonlySet<string> = new Set(['code:execute', 'agent:run'])

/** Scopes to read, but for those that every workflow has to do with. */
const isReading = (scope: string): boolean =>
  /^[a-z]+:read\b/.test(scope) && !/^(workflows|webhooks|events):/.test(scope)

type Read = Pick<RunRow, 'object' | 'acting'>

/**
 * Returns whether a credential covers what a run has read: the records of each object that its graph names, and all
 * that the one as whom it ran may read where a program or a model has chosen. Else a key for workflows would read
 * records.
 */
export function maySeeContents(
  caller: Actor,
  { object, acting }: Read,
  { kind, graph }: { readonly kind: DefinitionKind; readonly graph: WorkflowGraph },
  workspaceId: string,
): boolean {
  if (narrowingOf(caller) === undefined) return true
  if (!showsInputs(caller, kind)) return false
  const isOpen = Object.values(graph.blocks).some(({ plugin_id: plugin }) => readsAnything.has(plugin))
  if (isOpen) {
    const read = narrowingOf(actorOf(acting, workspaceId, undefined)) ?? scopes
    return scopesMissing(caller, read.filter(isReading)).length === 0
  }
  return [...objectsIn(graph), ...(object === null ? [] : [object])].every((name) =>
    isLiteral(name) ? mayTouch(caller, 'read', name) : holdsScope(caller, 'records:read'),
  )
}

const isLiteral = (name: unknown): name is string => isString(name) && variablesIn(name).length === 0

/** The objects that the nodes of a graph name, and the events that blocks wait for. */
const objectsIn = ({ trigger, blocks, exits }: WorkflowGraph): unknown[] =>
  [trigger, ...Object.values(blocks), ...Object.values(exits)]
    .flatMap(({ input }) =>
      [input, input['input']].flatMap((one) => [memberOf(one, 'object'), memberOf(one, 'entity')]),
    )
    .filter((name) => name !== undefined)
