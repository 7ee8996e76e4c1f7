import { isMutation, type Endpoint } from '@kontor/contract'
import type { Call } from '../kernel/calls.ts'
import type { McpTool } from './tool.ts'

/** Description of a tool for clients, before they let a model call it. */
type Annotations = {
  readonly title: string
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** True if it may reach beyond the workspace: runs of workflows send e-mail and call others. */
  readonly openWorldHint: boolean
}

/** Derives the annotations of a tool from the operations whose effects it may have. */
export function annotationsOf({ title, uses }: Pick<McpTool, 'title' | 'uses'>, calls: readonly Call[]): Annotations {
  const used = calls.filter(({ name }) => uses === 'any' || uses.some((one) => one === name))
  const writing = used.map(({ endpoint }) => endpoint).filter(isMutation)
  return {
    title,
    readOnlyHint: writing.length === 0,
    destructiveHint: writing.some((endpoint) => !isCreation(endpoint) || startsRun(endpoint)),
    idempotentHint: writing.every(({ method }) => method !== 'POST'),
    openWorldHint: writing.some(startsRun),
  }
}

/** Returns whether an operation only adds to what is there. */
const isCreation = ({ method, status }: Endpoint): boolean => method === 'POST' && status === 201

/** Returns whether an operation starts what may do anything that its owner may. */
const startsRun = ({ scope }: Endpoint): boolean => scope?.endsWith(':run') === true
