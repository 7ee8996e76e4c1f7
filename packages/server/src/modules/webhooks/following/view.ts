import type { Filter } from '@kontor/contract'
import { Failure } from '../../../kernel/errors.ts'
import { historyOf, type KnownEvent } from '../../event-feed/index.ts'
import { findObject, keptMs, listGone, listLive, type ObjectModel } from '../../objects/index.ts'
import { dataWith } from '../../query/index.ts'
import type { ActingContext } from '../../identity/acting/index.ts'
import type { WebhookRow } from '../store.ts'
import { isList, memberOf } from '../../../lib/guards.ts'
import { fromStored, resolveFilter } from '../../filters/index.ts'
import { matchingStates, type RecordState } from './matching-states.ts'

/**
 * The events, among those that its owner may see, that a webhook is to be sent; undefined if its filter does not fit
 * the schemas any more.
 */
export async function passing(
  ctx: ActingContext,
  webhook: WebhookRow,
  events: readonly KnownEvent[],
): Promise<readonly KnownEvent[] | undefined> {
  const asked = events.filter((event) => changesAsked(webhook, event))
  const { object, changed, where } = webhook.filter ?? {}
  if (object === undefined || events.length === 0) return asked
  try {
    if (changed !== undefined) {
      const { fields } = (await findObject(ctx, object, 'read')).object
      // The fields that it waits for are gone: it would be sent nothing any more.
      if (changed.every((name) => !fields.has(name))) return undefined
    }
    if (where === undefined || asked.length === 0) return asked
    const matching = await matchingEvents(ctx, object, where, asked)
    return asked.filter(({ sequence }) => matching.has(sequence))
  } catch (error) {
    if (error instanceof Failure) return undefined
    throw error
  }
}

/**
 * Returns the numbers of the events that match a condition: it is held against the record as it was right after the
 * event, or of a deletion right before it, whatever has happened to the record since.
 */
async function matchingEvents(
  ctx: ActingContext,
  name: string,
  where: Filter,
  events: readonly KnownEvent[],
): Promise<ReadonlySet<number>> {
  const { object } = await findObject(ctx, name, 'read')
  const filter = await resolveFilter(ctx, object, fromStored(where), () => ({ pointer: '' }))
  const states = await statesAt(ctx, object, events)
  const matching = await matchingStates(ctx.tx, { workspaceId: ctx.workspace.workspaceId, object, filter }, states)
  return new Set(states.filter((_, position) => matching.has(position)).map(({ sequence }) => sequence))
}

/** Returns the states that records had right after events; without those that are purged by now. */
async function statesAt(
  ctx: ActingContext,
  object: ObjectModel,
  events: readonly KnownEvent[],
): Promise<(RecordState & Pick<KnownEvent, 'sequence'>)[]> {
  const ids = [...new Set(events.map(({ record_id }) => record_id))]
  const { workspaceId } = ctx.workspace
  const [live, gone] = await Promise.all([
    listLive(ctx.tx, workspaceId, object.key, ids),
    listGone(ctx.tx, workspaceId, object.key, ids, ctx.now - keptMs),
  ])
  const rows = new Map([...gone, ...live].map((row) => [row.id, row]))
  // After the records: a change that they have is found here.
  const history = await historyOf(
    ctx,
    events.map(({ record_id, sequence }) => ({ recordId: record_id, sequence })),
  )
  return events.flatMap(({ record_id, sequence, type, payload }) => {
    const row = rows.get(record_id)
    if (row === undefined) return []
    const own = type.startsWith('record.') ? (payload.diff ?? []) : []
    const changes = [...history.backTo({ recordId: record_id, sequence }), ...own]
    return [{ id: record_id, sequence, data: dataWith(object, row.data, changes) }]
  })
}

/** Returns whether an event changes one of the fields that a webhook asks for. */
const changesAsked = ({ filter }: WebhookRow, event: KnownEvent): boolean =>
  filter?.changed === undefined || fieldsOf(event).some((field) => filter.changed?.includes(field))

/** The fields that an event changes: those in its diff, or the relationship along which it links. */
function fieldsOf({ payload: { diff, relationship } }: KnownEvent): string[] {
  const changes = isList(diff) ? diff : []
  return [...changes.flatMap(fieldOf), ...(typeof relationship === 'string' ? [relationship] : [])]
}

function fieldOf(change: unknown): string[] {
  const path = memberOf(change, 'path')
  const [field] = isList(path) ? path : []
  return typeof field === 'string' ? [field] : []
}
