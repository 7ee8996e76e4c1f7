import type { RunStatus, Suppression } from '@kontor/contract'
import type { Tx } from '../../../db/tx.ts'
import type { WorkspaceNow } from '../../../kernel/clock.ts'
import type { RunRow } from '../../runs/index.ts'
import { deliveryOf } from './delivery.ts'
import {
  holdCampaign,
  insertRecipients,
  listHolders,
  lockRecipients,
  replaceRecipients,
  type RecipientRow,
} from './store.ts'
import { countChanges } from './totals.ts'

/** The counters of what happened in a sequence, by day and kind, begin so. */
export const engagementCounters = (workflowId: string): string => `campaign/${workflowId}/`

const keyOf = ({ workflow_id, person_id }: Pick<RecipientRow, 'workflow_id' | 'person_id'>): string =>
  `${workflow_id}:${person_id}`

/** A run of a sequence, as far as the row of its person repeats it. */
type EnrolledRun = Pick<
  RunRow,
  | 'id'
  | 'workflow_id'
  | 'record_id'
  | 'current_block'
  | 'resume_at'
  | 'started_at'
  | 'ended_at'
  | 'created_at'
  | 'updated_at'
> & {
  readonly run_status: RunStatus
  readonly suppressed_reason: Suppression | null
  /** Where it writes to its person, if that is known. */
  readonly address: string | null
}

/** A person to enrol, and their address; a run by hand finds it by itself. */
export type Enrollee = {
  readonly workflowId: string
  readonly personId: string
  readonly address: string | undefined
  /** A list and its events enrol only people who have never been in the sequence: a call decides otherwise. */
  readonly isFirst?: boolean | undefined
}

const atAddress = (workflowId: string, address: string): string => `${workflowId}:${address}`

/** Runs of sequences that begin together, each for a person: one of them at a time goes on for each (0175). */
export class Enrolments {
  readonly #tx: Tx
  readonly #place: WorkspaceNow
  readonly #known: ReadonlyMap<string, RecipientRow>
  readonly #taken = new Set<string>()
  /** The people who have an address in a sequence (0175). */
  readonly #holders: Map<string, readonly string[]>

  private constructor(
    tx: Tx,
    place: WorkspaceNow,
    known: ReadonlyMap<string, RecipientRow>,
    holders: Map<string, readonly string[]>,
  ) {
    this.#tx = tx
    this.#place = place
    this.#known = known
    this.#holders = holders
  }

  /** Locks the people of sequences who are to be enrolled, and what addresses are taken in them. */
  static async of(tx: Tx, place: WorkspaceNow, wanted: readonly Enrollee[]): Promise<Enrolments> {
    const { workspaceId } = place
    const found: RecipientRow[] = []
    const holders = new Map<string, readonly string[]>()
    const bySequence = [...Map.groupBy(wanted, ({ workflowId }) => workflowId)].toSorted(([a], [b]) => (a < b ? -1 : 1))
    for (const [workflowId, some] of bySequence) {
      const personIds = [...new Set(some.map(({ personId }) => personId))]
      found.push(...(await lockRecipients(tx, workspaceId, workflowId, personIds)))
      const addresses = [...new Set(some.flatMap(({ address }) => address ?? []))]
      if (addresses.length === 0) continue
      await holdCampaign(tx, { workspace_id: workspaceId, workflow_id: workflowId })
      const held = await listHolders(tx, workspaceId, workflowId, addresses)
      for (const [address, theirs] of Map.groupBy(held, (row) => row.address))
        holders.set(
          atAddress(workflowId, address),
          theirs.map(({ person_id }) => person_id),
        )
    }
    return new Enrolments(tx, place, new Map(found.map((row) => [keyOf(row), row])), holders)
  }

  /** Why a person may not begin a sequence now: they are or were in it, or another is who has their address. */
  why({ workflowId, personId, address, isFirst }: Enrollee): Suppression | undefined {
    const key = keyOf({ workflow_id: workflowId, person_id: personId })
    const known = this.#known.get(key)
    if (known?.delivery === 'active' || this.#taken.has(key)) return 'already_active'
    if (isFirst === true && known !== undefined && known.run_status !== 'suppressed') return 'enrolled_before'
    if (address !== undefined) {
      const at = atAddress(workflowId, address)
      if (this.#holders.get(at)?.some((one) => one !== personId) === true) return 'duplicate_address'
      this.#holders.set(at, [personId])
    }
    this.#taken.add(key)
    return undefined
  }

  /** Stores who has been enrolled, and who was not and is new; returns the runs that lost against others. */
  async store(runs: readonly EnrolledRun[]): Promise<ReadonlySet<string>> {
    const rows = new Map<string, RecipientRow>()
    for (const run of runs) {
      const row = this.#rowOf(run)
      if (run.run_status !== 'suppressed' || !(this.#known.has(keyOf(row)) || rows.has(keyOf(row))))
        rows.set(keyOf(row), row)
    }
    const { workspaceId } = this.#place
    const [again, fresh] = [
      [...rows.values()].filter(this.#isKnown),
      [...rows.values()].filter((row) => !this.#isKnown(row)),
    ]
    const inserted = new Set((await insertRecipients(this.#tx, workspaceId, fresh)).map(keyOf))
    await replaceRecipients(this.#tx, workspaceId, again)
    await countChanges(this.#tx, this.#place, [
      ...again.map((after) => ({ before: this.#known.get(keyOf(after)), after })),
      ...fresh.filter((row) => inserted.has(keyOf(row))).map((after) => ({ after })),
    ])
    return new Set(fresh.filter((row) => !inserted.has(keyOf(row))).map(({ run_id }) => run_id))
  }

  readonly #isKnown = (row: RecipientRow): boolean => this.#known.has(keyOf(row))

  #rowOf(run: EnrolledRun): RecipientRow {
    const { id, workflow_id, record_id, run_status, suppressed_reason } = run
    const before = this.#known.get(keyOf({ workflow_id, person_id: record_id ?? '' }))
    return {
      workflow_id,
      person_id: record_id ?? '',
      run_id: id,
      address: run_status === 'suppressed' ? null : run.address,
      delivery: deliveryOf(run_status),
      run_status,
      current_block: run.current_block,
      resume_at: run.resume_at,
      exit_plugin: suppressed_reason,
      exit_node: null,
      engagement: before?.engagement ?? 0,
      has_unsubscribed: false,
      last_sent_at: before?.last_sent_at ?? null,
      last_opened_at: before?.last_opened_at ?? null,
      last_clicked_at: before?.last_clicked_at ?? null,
      last_replied_at: before?.last_replied_at ?? null,
      hidden: before?.hidden ?? false,
      started_at: run.started_at,
      ended_at: run.ended_at,
      created_at: before?.created_at ?? run.created_at,
      updated_at: run.updated_at,
    }
  }
}
