import { isMutation, type Endpoint } from '@kontor/contract'
import type { Call } from '../kernel/calls.ts'
import type { McpTool } from './tool.ts'

/** What clients are told of a tool before they let a model call it. */
type Annotations = {
  readonly title: string
  readonly readOnlyHint: boolean
  readonly destructiveHint: boolean
  readonly idempotentHint: boolean
  /** Tools act inside the workspace. */
  readonly openWorldHint: false
}

/** Derives the annotations of a tool from the operations that it may call. */
export function annotationsOf({ title, uses }: Pick<McpTool, 'title' | 'uses'>, calls: readonly Call[]): Annotations {
  const used = calls.filter(({ name }) => uses.some((one) => one === name)).map(({ endpoint }) => endpoint)
  const writing = used.filter(isMutation)
  return {
    title,
    readOnlyHint: writing.length === 0,
    destructiveHint: writing.some(isDestructive),
    idempotentHint: writing.every(({ method }) => method !== 'POST'),
    openWorldHint: false,
  }
}

/** Returns whether an operation may change or remove what is there, rather than only add to it. */
const isDestructive = ({ method, emits = [] }: Endpoint): boolean =>
  method !== 'POST' || emits.some((event) => /\.(updated|deleted|merged|unset|revoked)$/.test(event))
