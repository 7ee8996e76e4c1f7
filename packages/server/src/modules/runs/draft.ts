import type { Suppression } from '@kontor/contract'
import type { Workflow } from '../definitions/index.ts'
import type { RunRow } from './store.ts'

/** A run that shall begin. */
export type RunDraft = {
  readonly workflow: Workflow
  readonly state: RunRow['trigger_state']
  readonly object: string | null
  readonly recordId: string | null
  readonly eventId: string | null
  readonly depth: number
  readonly isDryRun?: boolean
  /** It begins then at the latest, and sooner if it is woken; runs that take places begin at these. */
  readonly heldUntil?: number
  /** Why it does not begin, where that is known already. */
  readonly suppressed?: Suppression
  /** The address at which it writes to the person for whom it is, where its kind has said so. */
  readonly address?: string
  /** It enrols only a record that its workflow has never enrolled, where its kind enrols any. */
  readonly isFirst?: boolean
}
