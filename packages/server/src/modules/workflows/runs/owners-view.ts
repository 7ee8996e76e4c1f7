import type { WorkflowStop } from '@kontor/contract'
import type { ReadTx } from '../../../db/tx.ts'
import { once } from '../../../lib/once.ts'
import { presentEvent, seenEvents } from '../../event-feed/index.ts'
import type { LoggedEvent } from '../../events/index.ts'
import type { SchemaSet } from '../../schemas/index.ts'
import type { Owner } from '../definition/owner.ts'
import type { Workflow } from '../definition/store.ts'
import type { WorkflowServices } from '../services.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import { ownersContext, ownersStanding, type OwnersContext } from './owners-context.ts'
import { eventState, readAttributes } from './record-state.ts'
import type { RunRow } from './store.ts'

type State = RunRow['trigger_state']

type Stopped = { readonly stopped: WorkflowStop }

/**
 * What the owners of workflows see of some events that follow each other, at one time and by one set of schemas. Events
 * of one type about one object are read together, once for each owner.
 */
export class OwnersView {
  readonly #tx: ReadTx
  readonly #at: WorkspaceNow
  readonly #schemas: () => Promise<SchemaSet>
  readonly #alike: Partial<Record<string, LoggedEvent[]>>
  readonly #contexts = new Map<string, Promise<OwnersContext | Stopped>>()
  readonly #states = new Map<string, Promise<ReadonlyMap<number, State>>>()
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
    this.#alike = Object.groupBy(events, kindOf)
  }

  /** The state that an event gives to the runs of a workflow; undefined if its owner may not see the event. */
  async stateOf(workflow: Workflow, event: LoggedEvent): Promise<State | undefined> {
    const owner = ownerKey(workflow)
    const ctx = await this.contextOf(workflow)
    if ('stopped' in ctx) {
      this.#stopped.set(workflow.row.id, { workflow, stopped: ctx.stopped })
      return undefined
    }
    const kind = kindOf(event)
    const states = await kept(this.#states, `${owner} ${kind}`, () => statesOf(ctx, this.#alike[kind] ?? []))
    return states.get(event.sequence)
  }

  /** The workflows that were asked about whose owners may not do anything any more. */
  stopped(): (Stopped & { readonly workflow: Workflow })[] {
    return [...this.#stopped.values()]
  }

  /** What the owner of a workflow reads with. */
  contextOf(workflow: Workflow): Promise<OwnersContext | Stopped> {
    return kept(this.#contexts, ownerKey(workflow), () => this.#contextOf(workflow.row.actor))
  }

  async #contextOf(owner: Owner): Promise<OwnersContext | Stopped> {
    const [standing, schemas] = await Promise.all([ownersStanding(this.#tx, this.#at, owner), this.#schemas()])
    return 'stopped' in standing ? standing : ownersContext(this.#tx, this.#at, schemas, owner, standing.role)
  }
}

const ownerKey = ({ row }: Workflow): string => JSON.stringify(row.actor)

const kindOf = ({ type, object }: LoggedEvent): string => `${type} ${object}`

/** The states of events of one type about one object, by their numbers; without those that the owner may not see. */
async function statesOf(ctx: OwnersContext, events: readonly LoggedEvent[]): Promise<Map<number, State>> {
  const seen = await seenEvents(ctx, events)
  const [first] = seen
  if (first === undefined) return new Map()
  const attributes = await readAttributes(ctx, first.object, [...new Set(seen.map(({ record_id }) => record_id))])
  return new Map(
    seen.map((event) => [event.sequence, eventState(presentEvent(event), attributes.get(event.record_id))]),
  )
}

function kept<T>(known: Map<string, Promise<T>>, key: string, make: () => Promise<T>): Promise<T> {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}
