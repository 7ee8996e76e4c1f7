import type { bounceKinds } from '@kontor/contract'
import type { Tx } from '../../db/tx.ts'

/** An event of a letter after it was written. */
export type EngagementKind = 'send' | 'open' | 'click' | 'reply' | 'bounce' | 'unsubscribe'

/** A fact about a letter. */
export type Engagement = {
  readonly kind: EngagementKind
  /** Of a letter that came back: for good or for now. */
  readonly bounce?: (typeof bounceKinds)[number] | null | undefined
  readonly emailId: string
  /** The run that wrote it, and its workflow; null of a letter that none wrote. */
  readonly runId: string | null
  readonly workflowId: string | null
  /** Whom it went to, where that is a record. */
  readonly personId: string | null
  readonly at: number
}

/** Is told of each fact within the transaction that stores it. */
export type EngagementListener = (tx: Tx, workspaceId: string, engagement: Engagement) => Promise<void>
