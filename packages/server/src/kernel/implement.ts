import type {
  Contract,
  DeclaredErrors,
  Domain,
  Endpoint,
  ErrorCode,
  Input,
  Output,
  Reading,
  Streaming,
} from '@kontor/contract'
import type { ReadTx, Tx } from '../db/tx.ts'
import type { Actor, Membership } from './actor.ts'
import type { Failure, Fault } from './errors.ts'
import type { DomainEvent } from './events.ts'
import type { PinnedSchemas } from './invoke/schema-check.ts'
import type { RefusedItems } from './parse/items.ts'

/** Errors that any handler may raise, since `errorCodesOf` derives them for every endpoint of a workspace. */
type CommonError = 'not_found' | 'invalid_parameter' | 'invalid_body'

/**
 * The context of a handler. `fail` accepts only the codes that its endpoint declares, so an endpoint that does not
 * declare `unique_violation` cannot call a service that raises it: it does not compile.
 */
export interface ReadContext<Code extends ErrorCode = never> {
  readonly tx: ReadTx
  readonly actor: Actor
  readonly requestId: string
  /** Milliseconds since 1970; one instant for the whole call. */
  readonly now: number
  readonly newId: () => string
  readonly fail: (code: Code | CommonError, fault?: Omit<Fault, 'code'>) => Failure
  /** Base URL of the API, with `/v1`. */
  readonly baseUrl: string
  /**
   * The call as it was sent, with its members in the order in which they were written; its content has been checked.
   */
  readonly given: Readonly<Record<string, unknown>>
  /** True if the caller can take a long answer in chunks. */
  readonly takesChunks: boolean
}

/** The context of a public handler: no caller and no database. */
export type PublicContext<Code extends ErrorCode = never> = Pick<
  ReadContext<Code>,
  'requestId' | 'now' | 'fail' | 'baseUrl' | 'given'
>

/** Headers by their names in lower case; one that was sent more than once is a list. */
export type ArrivalHeaders = Readonly<Record<string, string | readonly string[]>>

/** Query parameters by their names; one that was sent more than once is a list. */
export type ArrivalQuery = Readonly<Record<string, string | readonly string[]>>

/** The context where the address is the credential: a transaction, and the headers that came with the request. */
export type AddressContext<Code extends ErrorCode = never> = PublicContext<Code> & {
  readonly tx: Tx
  /** Without those that carry credentials; none over tRPC and actions. */
  readonly headers: ArrivalHeaders
  /** All parameters of the query; none over tRPC and actions. */
  readonly query: ArrivalQuery
}

/** The context where such an address is only read. */
export type AddressReadContext<Code extends ErrorCode = never> = Omit<AddressContext<Code>, 'tx'> & {
  readonly tx: ReadTx
}

export interface WorkspaceReadContext<Code extends ErrorCode = never> extends ReadContext<Code> {
  readonly workspace: Membership
  /**
   * The schemas of the workspace, one set for the whole call; `workspaceSchemas` of the schemas module gives them a
   * type.
   */
  readonly schemas: PinnedSchemas
  /**
   * The watermark of an object: all changes of its records up to there can be read, and answers show none beyond it
   * (docs/decisions/0003). A walk that goes on has a known one. Later reads of the call go to the primary,
   * since a replica may lack a change from before it.
   */
  readonly watermark: (object: string, known?: number) => Promise<number>
}

export interface WriteContext<Code extends ErrorCode = never> extends WorkspaceReadContext<Code | 'forbidden'> {
  readonly tx: Tx
  /**
   * The clock's time, for what must begin or end on time. `now`, the timestamp of changes, may be later
   * (docs/decisions/0003).
   */
  readonly clockNow: number
  /**
   * True if the call may insert unique values in the hope that they are free, so that their answer is that of the
   * commit and costs no round trip. If one is taken, the whole call runs again, not hopeful, to say which.
   */
  readonly isHopeful: boolean
  /**
   * Items of the body that are wrong in themselves, by position, where the endpoint takes them `itemByItem`: they are
   * to be answered with, and what stands in their place in the input is not to be written.
   */
  readonly refusedItems: RefusedItems
  /** The id of a record that is created now: it begins with `now`. */
  readonly newRecordId: () => string
  /** An id that cannot be guessed, for what its address opens. */
  readonly newSecretId: () => string
  /** Versions that the caller's `If-Match` accepts; undefined accepts any. */
  readonly ifMatch: readonly number[] | undefined
  /**
   * Publishes events in this transaction: to the outbox and to the feeds of their records, which must be locked or new.
   */
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
  /** Runs once the change is durable, for example to invalidate what this process has cached of it. */
  readonly afterCommit: (work: () => void) => void
  /**
   * Runs work that may fail without failing the call: when it throws, the writes through its own context are undone.
   */
  readonly attempt: <T>(work: (ctx: WriteContext<Code>) => Promise<T>) => Promise<T>
}

/** The context of a handler whose answer goes on for long. */
export interface StreamContext<Code extends ErrorCode = never> extends WorkspaceReadContext<Code> {
  /** The last event that the caller has received, as it reports. */
  readonly lastEventId: string | undefined
  /**
   * Runs work in a context of this moment: who calls and what they may do is found out again. Throws a `Failure` once
   * they may not make this call any more.
   */
  readonly again: <T>(work: (ctx: WorkspaceReadContext<Code>) => Promise<T>) => Promise<T>
}

type ContextOf<E extends Endpoint> = E extends { readonly caller: 'public' }
  ? PublicContext<DeclaredErrors<E>>
  : E extends { readonly caller: 'address' }
    ? E extends Reading
      ? AddressReadContext<DeclaredErrors<E>>
      : AddressContext<DeclaredErrors<E>>
    : E extends Streaming
      ? StreamContext<DeclaredErrors<E>>
      : E extends Reading
        ? E['path'] extends `/workspaces/{workspace}${string}`
          ? WorkspaceReadContext<DeclaredErrors<E>>
          : ReadContext<DeclaredErrors<E>>
        : WriteContext<DeclaredErrors<E>>

/** Result of a handler: the body, its version and which of two success statuses it has. */
export type Answer<Body> = { readonly body: Body; readonly version?: number; readonly status?: number }

/**
 * The items of an array that is too long to hold in memory, chunk by chunk, and at the end the other members of the
 * body.
 */
export type Chunks<Item = unknown, Rest extends object = object> = AsyncGenerator<readonly Item[], Rest, undefined>

/**
 * An answer whose `data` is streamed in chunks, with status 200; the first chunk is there before the answer begins. A
 * text is streamed in parts.
 */
export type LongAnswer<Body> = Body extends string
  ? { readonly chunks: Chunks<string> }
  : Body extends { readonly data: readonly (infer Item)[] }
    ? { readonly chunks: Chunks<Item, Omit<Body, 'data'>> }
    : never

/** Where a stream writes to. */
export interface StreamSink {
  /** True if the client is still there. */
  readonly isOpen: boolean
  /** Resolves when the client can take more: to false where it has gone, or took too long and is cut off. */
  write(text: string): Promise<boolean>
  /** Calls back when the client has gone. */
  onClose(listener: () => void): void
}

/** An answer that goes on until its caller leaves: what it does from then on, and when it ends. */
export type Stream = { readonly stream: (sink: StreamSink) => Promise<void> }

type AnswerOf<E extends Endpoint> = E extends { readonly caller: 'public' | 'address' }
  ? Answer<Output<E>>
  : E extends Streaming
    ? Stream
    : E extends Reading
      ? Answer<Output<E>> | LongAnswer<Output<E>>
      : Answer<Output<E>>

/** The owner of an address; `id` names it in limits. */
export type FoundAddress = { readonly workspaceId: string; readonly id: string }

/** Finds what an address belongs to, before the body is read. */
export type FindAddress = (
  tx: ReadTx,
  scope: Readonly<Record<string, unknown>>,
  headers: ArrivalHeaders,
) => Promise<FoundAddress | undefined>

type Handler<E extends Endpoint> = ((ctx: ContextOf<E>, input: Input<E>) => Promise<AnswerOf<E>>) & {
  /** See `inTwoParts`. */
  readonly prepare?: unknown
  /** See `atAddress`. */
  readonly find?: FindAddress
}
export type Handlers<D extends Domain> = { readonly [K in keyof D]: Handler<D[K]> }
export type Modules<C extends Contract> = { readonly [K in keyof C]: Handlers<C[K]> }

/** Ties a domain's handlers to its endpoints: a missing or an extra one does not compile. */
export const implement = <D extends Domain>(_domain: D, handlers: Handlers<D>): Handlers<D> => handlers

/**
 * A handler in two parts: what it asks of others, outside of any transaction and perhaps more than once, and the change
 * itself, which it returns.
 */
export const inTwoParts = <Given, Body, Code extends ErrorCode = never>(
  prepare: (
    ctx: WorkspaceReadContext<Code>,
    input: Given,
  ) => Promise<(ctx: WriteContext<Code>) => Promise<Answer<Body>>>,
) =>
  Object.assign(
    async (ctx: WriteContext<Code>, input: Given): Promise<Answer<Body>> => (await prepare(ctx, input))(ctx),
    {
      prepare,
    },
  )

/** A handler at an address that is its own credential, with what finds the address before the body is read. */
export const atAddress = <Handle extends object>(
  find: FindAddress,
  handle: Handle,
): Handle & { readonly find: FindAddress } => Object.assign(handle, { find })
