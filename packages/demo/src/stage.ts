import type { contract, Endpoint, Output, RecordResource } from '@kontor/contract'

/** Attributes of a record, as the API takes them. */
export type Attributes = Readonly<Record<string, unknown>>

/** Where the receiver of the samples listens, while they are made. */
export const receiverHost = '127.0.0.1'

/** Days that the sample data goes back. */
export const historyDays = 140

/** A clock that begins in the past and stands still until it is put forward. */
export type StageClock = { readonly now: () => number; readonly goTo: (daysAgo: number) => void }

/** The users of the demo. */
export type StagePerson = 'admin' | 'member'

type Operations = typeof contract
type OutputOf<E> = E extends Endpoint ? Output<E> : never

/** Calls an operation in the workspace of the demo: parameters flat, and the body under `body`. */
type StageCall = <D extends keyof Operations, K extends keyof Operations[D] & string>(
  name: `${D}.${K}`,
  input: Readonly<Record<string, unknown>>,
  options?: { readonly idempotencyKey?: string },
) => Promise<OutputOf<Operations[D][K]>>

/** The actions of readers on the e-mails of a campaign. */
export type Reaction = 'open' | 'click' | 'reply' | 'bounce' | 'unsubscribe'

/** A person of a campaign, and the run that writes to them. */
export type Reader = { readonly campaignId: string; readonly personId: string; readonly runId: string | null }

/** An e-mail to one person. */
type StageLetter = {
  readonly personId: string
  readonly recipient: string
  readonly subject: string
  readonly paragraphs: readonly string[]
}

/** A change of one record. */
export type RecordEdit = { readonly id: string; readonly attributes: Attributes }

/**
 * The environment of the demo: the API itself, with a clock of its own and with the ids from the examples in the
 * OpenAPI document.
 */
export type Stage = {
  readonly clock: StageClock
  readonly as: (person: StagePerson) => StageCall
  /** Gives the next created things ids from the examples. */
  readonly nextIds: (...ids: readonly string[]) => void
  readonly createMany: (
    person: StagePerson,
    object: string,
    rows: readonly Attributes[],
  ) => Promise<readonly RecordResource[]>
  readonly updateMany: (person: StagePerson, object: string, changes: readonly RecordEdit[]) => Promise<void>
  /** Uploads a file. */
  readonly putFile: (id: string, bytes: Uint8Array) => Promise<void>
  /** Sends an e-mail, which is kept. */
  readonly write: (letter: StageLetter) => Promise<unknown>
  /** Lets a person do something with what a campaign has written to them. */
  readonly engage: (reader: Reader, kind: Reaction) => Promise<void>
  /** Does what webhooks have to do, and nothing else. */
  readonly webhookRunner: { readonly start: () => Promise<void>; readonly stop: (waitMs: number) => Promise<void> }
}
