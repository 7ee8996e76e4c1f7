import { columnsOf } from '../../db/rows.ts'
import type { Change } from '@kontor/contract'
import type { RowOf } from '../../db/columns.ts'
import type { Cause, Chain, Doer } from '../../kernel/actor.ts'

/** The actor of an event. */
type EventActor = Doer & { readonly cause?: Cause; readonly chain?: Chain }

/** The payload of an event; its type decides on the members (`eventDefinitions` of the contract). */
export type LoggedPayload = Readonly<Record<string, unknown>> & {
  readonly diff?: readonly Change[]
  readonly ids?: readonly string[]
  readonly sources?: readonly string[]
}

/** An event as the log of its workspace has it. */
export type LoggedEvent = Omit<RowOf<'event'>, 'workspace_id' | 'actor' | 'payload'> & {
  readonly actor: EventActor
  readonly payload: LoggedPayload
}

/** The columns of a logged event. */
export const loggedColumns = columnsOf('event', 'workspace_id')
