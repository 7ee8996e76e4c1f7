import type { EventFilter } from '@kontor/contract'
import { readFitting } from '../../db/row-bytes.ts'
import type { Fault } from '../../kernel/errors.ts'
import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { findLogBounds, listEvents, type LogBounds } from '../events/index.ts'
import { seenEvents, type KnownEvent } from './seen.ts'

/** Events that are looked through for a page, so that a filter that few of them pass reads no more than these. */
const lookedThroughMax = 5000

/** Some events that the caller may see, and where to go on. */
export type EventPage = { readonly events: readonly KnownEvent[]; readonly nextAfter: number }

type FeedRange = { readonly after: number; readonly limit: number; readonly filter: EventFilter | undefined }

/** Reads the events after a number: as many queries for a page with few events as for one with many. */
export async function readEvents(
  ctx: WorkspaceReadContext,
  { last }: LogBounds,
  { after, limit, filter }: FeedRange,
): Promise<EventPage> {
  // The events of one record are found by an index.
  const until = filter?.record === undefined ? Math.min(last, after + lookedThroughMax) : last
  const { rows: found, mayHaveMore } = await readFitting(limit, (rowsMax) =>
    listEvents(ctx.tx, ctx.workspace.workspaceId, { after, until, rowsMax }, filter),
  )
  const nextAfter = mayHaveMore ? (found.at(-1)?.sequence ?? until) : until
  return { events: await seenEvents(ctx, found), nextAfter: Math.max(after, nextAfter) }
}

/** The bounds of the log; 410 where events right after a position are gone, 400 where the log is not that far. */
export async function requireBounds(
  ctx: WorkspaceReadContext<'events_expired'>,
  after: number | undefined,
  source: Fault['source'] = { parameter: 'after' },
): Promise<LogBounds> {
  const bounds = await findLogBounds(ctx.tx, ctx.workspace.workspaceId)
  const { first, last } = bounds
  const meta = { first_sequence: first, last_sequence: last }
  if (after !== undefined && after < first - 1)
    throw ctx.fail('events_expired', { detail: `The events up to ${first - 1} are no longer stored.`, source, meta })
  if (after !== undefined && after > last)
    throw ctx.fail('invalid_parameter', { detail: `The latest event is ${last}.`, source, meta })
  return bounds
}
