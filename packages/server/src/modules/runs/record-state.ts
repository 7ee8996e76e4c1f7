import type { Change, EventResource } from '@kontor/contract'
import { isRecord, memberOf } from '../../lib/guards.ts'
import { listVisible, listVisibleDeleted, presentRecords, withChanges } from '../query/index.ts'
import type { TriggerOccurrence } from '../plugins/index.ts'
import type { ActingContext } from '../identity/acting/index.ts'
import type { RunRow } from './store.ts'

type Attributes = Readonly<Record<string, unknown>>

/**
 * The state of a trigger that stands for an event, with a record that it concerns. Only the record that the event is
 * about has changed by it.
 */
export function eventState(
  { id, attributes }: EventResource,
  { recordId, object, data: said }: TriggerOccurrence,
  data: Attributes | null,
): RunRow['trigger_state'] {
  const { type, sequence, created_at, actor, record_id, data: payload } = attributes
  const { diff, ...rest }: Readonly<Record<string, unknown>> = payload
  const changes = record_id === recordId ? (diff ?? []) : []
  return {
    event: {
      id,
      type,
      sequence,
      created_at,
      actor,
      object: { _id: recordId, entity: object, data, diff: changes },
      data: said ?? rest,
    },
  }
}

/** The state of a trigger with what is in its record. */
export const withRecordData = (state: RunRow['trigger_state'], data: unknown): RunRow['trigger_state'] => {
  const { event } = state
  const object = memberOf(event, 'object')
  return isRecord(event) && isRecord(object) ? { event: { ...event, object: { ...object, data } } } : state
}

/** The attributes of records of an object by their ids, as an owner sees them; those gone or hidden are left out. */
export async function readAttributes(
  ctx: ActingContext,
  objectName: string,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Attributes>> {
  return attributesOf(ctx, await listVisible(ctx, objectName, ids))
}

/** Records of an object as an owner sees them, or saw them if they are deleted. */
export type SeenRecords = {
  readonly isLive: (id: string) => boolean
  /**
   * Returns a record as it was after an event, by undoing the changes since; null if it is
   * hidden or gone. A condition judges the event, whatever was written before it is read.
   */
  readonly after: (id: string, changes: readonly Change[]) => Attributes | null
}

/** Reads some records of an object. */
export async function readSeen(ctx: ActingContext, objectName: string, ids: readonly string[]): Promise<SeenRecords> {
  const seen = await listVisible(ctx, objectName, ids)
  const live = await attributesOf(ctx, seen)
  const missing = ids.filter((id) => !live.has(id))
  const gone = missing.length === 0 ? undefined : await listVisibleDeleted(ctx, objectName, missing)
  const deleted = await attributesOf(ctx, gone)
  return {
    isLive: (id) => live.has(id),
    after(id, changes) {
      const attributes = live.get(id) ?? deleted.get(id)
      return attributes === undefined || seen === undefined ? null : withChanges(seen.object, attributes, changes)
    },
  }
}

async function attributesOf(
  ctx: ActingContext,
  seen: Awaited<ReturnType<typeof listVisible>>,
): Promise<ReadonlyMap<string, Attributes>> {
  if (seen === undefined) return new Map()
  const presented = await presentRecords(ctx, seen.object, seen.rows)
  return new Map(presented.map(({ id, attributes }) => [id, attributes]))
}
