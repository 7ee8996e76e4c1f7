import type { Tx } from '../../db/tx.ts'
import type { Actor } from '../../kernel/actor.ts'
import type { LinkPlace } from './render/link-places.ts'
import type { RenderedLetter } from './render/letter.ts'
import type { LetterFile } from './store.ts'

/** A letter to be sent. */
export type SendRequest = {
  readonly workspaceId: string
  /** Names the letter: what is sent under the same key is the same letter, and is accepted once. */
  readonly key: string
  /** As whom it is sent. */
  readonly actor: Actor
  /** The run that writes it, and its workflow; a test of one has no run. */
  readonly run: { readonly id: string | null; readonly workflowId: string; readonly block: string } | null
  /** The record of whom it goes to. */
  readonly personId: string | null
  /** One of many: it says how to get no more of them. It has one recipient. */
  readonly inSequence: boolean
  readonly recipients: readonly string[]
  readonly letter: RenderedLetter
  readonly files: readonly LetterFile[]
  readonly tracksOpens: boolean
  readonly tracksClicks: boolean
  /** Says in the transaction that writes the letter down whether it may go out now: its campaign may be paused. */
  readonly mayGoOut?: (tx: Tx) => Promise<boolean>
  /** Aborted when the sender is to stop: a letter that has not begun to go out does not. */
  readonly signal?: AbortSignal
}

/** A letter whose links have been found. */
export type TrackedRequest = SendRequest & {
  /** The links whose clicks are tracked. */
  readonly trackedLinks: readonly LinkPlace[]
}
