import type { Database, Tx } from '../../db/tx.ts'
import type { Actor, Chain, Membership } from '../actor.ts'
import type { ChangeTimes } from '../change-times.ts'
import type { Clock } from '../clock.ts'
import type { DomainEvent } from '../events.ts'
import type { IdempotencyStore } from '../idempotency.ts'
import type { ArrivalHeaders, ArrivalQuery, Chunks, Stream, WorkspaceReadContext, WriteContext } from '../implement.ts'
import type { AddressGate, RateLimiter } from '../rate-limit.ts'
import type { RefusedItems } from '../parse/items.ts'
import type { SchemaEpochs } from './schema-check.ts'
import type { Surface } from './metered.ts'

/** One call, as every transport passes it on. */
export type Incoming = {
  readonly surface: Surface
  /** The workspace and the object that the call names, before anything else of it is read. */
  readonly scope: { readonly workspace?: unknown; readonly object?: unknown; readonly id?: unknown }
  /**
   * Path and query parameters flat, the body under `body`; typed, not yet checked. Read only after the caller is
   * authenticated and within the rate limit, so that no other caller can make the server decode a body.
   */
  readonly readInput: () => Promise<Readonly<Record<string, unknown>>>
  readonly authorization: string | undefined
  /** A caller that the server itself has identified: the owner of a workflow that runs. No rate limit is theirs. */
  readonly actor?: Actor
  readonly idempotencyKey: string | undefined
  readonly ifMatch: string | undefined
  /** The position of an earlier change, which the call is to see. */
  readonly position?: string | undefined
  /**
   * Writes more in the transaction of the change, given the body of its response: both are stored or neither.
   * It may run again, as the transaction may; a dry run leaves it out.
   */
  readonly alongside?: Alongside | undefined
  readonly lastEventId?: string | undefined
  /** The header that says of which workflows a request comes. */
  readonly chain?: string | undefined
  readonly requestId: string
  /** The network that it comes from; none where the server itself calls. */
  readonly network?: string
  /** The headers of a request to an address that is its own credential. */
  readonly headers?: ArrivalHeaders
  /** Its query parameters, where it takes any. */
  readonly query?: ArrivalQuery
  /** The transport can stream an answer in chunks; for other transports a handler returns none. */
  readonly takesChunks?: true
}

export type Alongside = (tx: Tx, body: unknown) => Promise<void>

/** A call whose input has been read. */
export type InvokedCall = Incoming & {
  readonly given: Readonly<Record<string, unknown>>
  readonly refusedItems: RefusedItems
}

type Head = { readonly status: number; readonly headers: Readonly<Record<string, string>> }

type Whole = { readonly body: unknown; readonly chunks?: undefined; readonly stream?: undefined }
type Chunked = { readonly body?: undefined; readonly chunks: Chunks; readonly stream?: undefined }
type Streamed = { readonly body?: undefined; readonly chunks?: undefined; readonly stream: Stream['stream'] }

/**
 * A whole body, or one whose `data` is still being read, or a stream; the transport that consumes the chunks ends them.
 */
export type Outgoing = Head & (Whole | Chunked | Streamed)

/** The dependencies of `invoke`; made by `app.ts`. */
export type Runtime = SchemaEpochs & {
  readonly database: Database
  readonly clock: Clock
  /** Generates the ids of what calls create. */
  readonly newId: (nowMs: number) => string
  /** Generates ids that cannot be guessed. */
  readonly newSecretId: () => string
  /** Generates the ids of records, which sort by creation. */
  readonly newRecordId: (nowMs: number) => string
  readonly baseUrl: string
  readonly authenticate: (authorization: string | undefined) => Promise<Actor>
  /** The chain of workflows that a header names, if we have signed it. */
  readonly readChain: (header: string | undefined) => Chain | undefined
  readonly findMembership: (actor: Actor, slug: string) => Promise<Membership | undefined>
  /** Without one, nothing is limited. */
  readonly rateLimiter: Pick<RateLimiter, 'policy' | 'take'> | undefined
  /** Limits what comes in at each address that is its own credential. */
  readonly arrivals: Pick<RateLimiter, 'policy' | 'take'>
  /** Stands before those addresses. */
  readonly gate: AddressGate
  readonly idempotency: IdempotencyStore
  /** Returns whether a caller still sees what a stored answer says: access may have ended since. */
  readonly seesAnswer: (context: WorkspaceReadContext, body: unknown) => Promise<boolean>
  /** Limits how many calls of one workspace are at work. */
  readonly shares: { run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> }
  /** Gives writes of many records their turns, which go round between workspaces. */
  readonly largeWrites: { run<T>(workspaceId: string, work: () => Promise<T>): Promise<T> }
  readonly changeTimes: ChangeTimes
  /** Publishes events in the transaction of their change. */
  readonly writeEvents: (
    tx: Tx,
    context: { workspaceId: string; actor: Actor; silent: boolean; now: number },
    events: readonly DomainEvent[],
  ) => Promise<void>
  /** Makes the changes that a change brings with it, in its transaction and silently. */
  readonly follow: (context: WriteContext, events: readonly DomainEvent[]) => Promise<void>
  /** Checks every answer against the contract. */
  readonly checkAnswers: boolean
}

/** The part of the runtime that a change outside the operations of the API needs to write its events. */
export type Telling = Pick<Runtime, 'changeTimes' | 'writeEvents' | 'clock'>

/**
 * Collects headers that an answer carries whether it succeeds or fails; those of the rate limit are set before the
 * outcome is known.
 */
export type HeaderSink = Record<string, string>
