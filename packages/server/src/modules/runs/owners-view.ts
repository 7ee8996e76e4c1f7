import type { ReadTx } from '../../db/tx.ts'
import { once } from '../../lib/promises.ts'
import { historyOf, presentEvent, seenEvents, type History, type KnownEvent } from '../event-feed/index.ts'
import type { LoggedEvent } from '../events/index.ts'
import { listObjects } from '../objects/index.ts'
import type { SchemaSet } from '../schemas/index.ts'
import { findLocalTime, type LocalTime } from '../settings/index.ts'
import { actingAs, contextOf, type ActingContext, type Stopped } from '../identity/acting/index.ts'
import type { Workflow } from '../definitions/index.ts'
import type { WorkflowServices } from './services.ts'
import type { WorkspaceNow } from '../../kernel/clock.ts'
import type { Objects, TriggerOccurrence, SeenEvent, Trigger } from '../plugins/index.ts'
import { eventState, readSeen, type SeenRecords } from './record-state.ts'
import type { RunRow } from './store.ts'

/** An event as a trigger takes it: the record that a run would be about, and the state of that run. */
export type Occurred = {
  readonly object: string
  readonly recordId: string
  readonly state: RunRow['trigger_state']
}

/** A trigger, and the input of the node that names it. */
type TriggerRequest = { readonly trigger: Trigger; readonly input: Readonly<Record<string, unknown>> }

/**
 * The view that owners of workflows have of some events that follow each other, at one time and by one set of schemas.
 * Events of one type about one object are read together, once for each owner.
 */
export class OwnersView {
  readonly #tx: ReadTx
  readonly #at: WorkspaceNow
  readonly #schemas: () => Promise<SchemaSet>
  /** By which clocks the workspace goes. */
  readonly localTime: () => Promise<LocalTime>
  readonly #alike: Partial<Record<string, LoggedEvent[]>>
  readonly #contexts = new Map<string, Promise<ActingContext | Stopped>>()
  readonly #occurred = new Map<string, Promise<ReadonlyMap<number, readonly Occurred[]>>>()
  readonly #stopped = new Map<string, Stopped & { readonly workflow: Workflow }>()

  constructor(
    { schemaSets }: Pick<WorkflowServices, 'schemaSets'>,
    tx: ReadTx,
    at: WorkspaceNow,
    events: readonly LoggedEvent[],
  ) {
    this.#tx = tx
    this.#at = at
    this.#schemas = once(() => schemaSets.readCurrent(tx, at.workspaceId))
    this.localTime = once(() => findLocalTime(tx, at.workspaceId))
    this.#alike = Object.groupBy(events, kindOf)
  }

  /**
   * Returns what an event is to a trigger of a workflow; nothing if it asks for others, or its owner may not see the
   * event.
   */
  async occurred(workflow: Workflow, asked: TriggerRequest, event: LoggedEvent): Promise<readonly Occurred[]> {
    if (!asked.trigger.matches(event, asked.input)) return []
    const owner = ownerKey(workflow)
    const ctx = await this.contextOf(workflow)
    if ('stopped' in ctx) {
      this.#stopped.set(workflow.row.id, { workflow, stopped: ctx.stopped })
      return []
    }
    const kind = kindOf(event)
    const alike = this.#alike[kind] ?? []
    const occurred = await kept(this.#occurred, `${owner} ${kind} ${readingOf(asked)}`, () =>
      occurredIn(ctx, alike, asked),
    )
    return occurred.get(event.sequence) ?? []
  }

  /** The workflows that were asked about whose owners may not do anything any more. */
  stopped(): (Stopped & { readonly workflow: Workflow })[] {
    return [...this.#stopped.values()]
  }

  /** Returns the context in which the owner of a workflow reads. */
  contextOf(workflow: Workflow): Promise<ActingContext | Stopped> {
    return kept(this.#contexts, ownerKey(workflow), () =>
      contextOf(this.#tx, this.#at, this.#schemas, actingAs(workflow.row.actor, this.#at.workspaceId)),
    )
  }
}

const ownerKey = ({ row }: Workflow): string => JSON.stringify(row.actor)

const kindOf = ({ type, object }: LoggedEvent): string => `${type} ${object}`

/** Triggers that take an event to be about its record read the same of it. */
const readingOf = ({ trigger, input }: TriggerRequest): string =>
  trigger.occurrences === undefined ? '' : `${trigger.id} ${JSON.stringify(input)}`

/** Returns what events of one type are to a trigger, by their numbers; hidden ones are omitted. */
async function occurredIn(
  ctx: ActingContext,
  events: readonly LoggedEvent[],
  asked: TriggerRequest,
): Promise<Map<number, Occurred[]>> {
  const [seen, objects] = await Promise.all([seenEvents(ctx, events), listObjects(ctx)])
  const found = seen.map((event) => ({ event, occurrences: occurrencesOf(event, asked, objects) }))
  const records = await readAll(
    ctx,
    found.flatMap(({ occurrences }) => occurrences),
  )
  // After the records: a change that they have is found here.
  const history = await historyOf(
    ctx,
    found.flatMap(({ event: { sequence }, occurrences }) =>
      occurrences.map(({ recordId }) => ({ recordId, sequence })),
    ),
  )
  return new Map(
    found.map(({ event, occurrences }) => [
      event.sequence,
      occurrences.flatMap((occurrence) =>
        occurredTo(event, occurrence, { records: records.get(occurrence.object), history }),
      ),
    ]),
  )
}

const occurrencesOf = (
  event: SeenEvent,
  { trigger, input }: TriggerRequest,
  objects: Objects,
): readonly TriggerOccurrence[] =>
  trigger.occurrences === undefined
    ? [{ object: event.object, recordId: event.record_id }]
    : trigger.occurrences(event, input, objects)

/** The records of occurrences, by their objects: one read for each. */
async function readAll(
  ctx: ActingContext,
  occurrences: readonly TriggerOccurrence[],
): Promise<ReadonlyMap<string, SeenRecords>> {
  const records = new Map<string, SeenRecords>()
  for (const [object, some] of Map.groupBy(occurrences, (occurrence) => occurrence.object))
    records.set(object, await readSeen(ctx, object, [...new Set(some.map(({ recordId }) => recordId))]))
  return records
}

/** Records of an object as they were read, and their changes since. */
type Read = { readonly records: SeenRecords | undefined; readonly history: History }

/** An occurrence with its state; none at the other end of a link where the owner sees no record. */
function occurredTo(event: KnownEvent, occurrence: TriggerOccurrence, { records, history }: Read): Occurred[] {
  const { object, recordId } = occurrence
  const isOwn = recordId === event.record_id
  if (!isOwn && !(occurrence.isGone === true || records?.isLive(recordId) === true)) return []
  // Changes of other events are about what hangs on a record, such as its entry in a list.
  const own = isOwn && event.type.startsWith('record.') ? (event.payload.diff ?? []) : []
  const back = history.backTo({ recordId, sequence: event.sequence })
  const data = records?.after(recordId, [...back, ...own]) ?? null
  // Records that no longer exist are hidden.
  if (occurrence.isGone === true && data === null) return []
  return [{ object, recordId, state: eventState(presentEvent(event), occurrence, data) }]
}

function kept<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}
