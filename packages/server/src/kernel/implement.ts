import type { Contract, DeclaredErrors, Domain, Endpoint, ErrorCode, Input, Output, Reading } from '@kontor/contract'
import type { ReadTx, Tx } from '../db/tx.ts'
import type { Actor, Membership } from './actor.ts'
import type { Failure, Fault } from './errors.ts'
import type { DomainEvent } from './events.ts'

/** Errors that any handler may raise, since `errorCodesOf` derives them for every endpoint of a workspace. */
type CommonError = 'not_found' | 'forbidden' | 'invalid_parameter' | 'invalid_body'

/**
 * What a handler works with. `fail` takes only the codes that its endpoint declares, so a service that can raise
 * `unique_violation` cannot be called from an endpoint that does not say so: it does not compile.
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
}

export interface WorkspaceReadContext<Code extends ErrorCode = never> extends ReadContext<Code> {
  readonly workspace: Membership
}

export interface WriteContext<Code extends ErrorCode = never> extends WorkspaceReadContext<Code> {
  readonly tx: Tx
  /** Versions that the caller's `If-Match` accepts; undefined: any. */
  readonly ifMatch: readonly number[] | undefined
  /** Tells events in this transaction: to the outbox and to the feeds of their records, which must be locked or new. */
  readonly emit: (events: readonly DomainEvent[]) => Promise<void>
  /** Runs once the change is durable, for example to drop what this process has cached of it. */
  readonly afterCommit: (work: () => void) => void
  /** Runs work that may be refused without the call: what it did through its own context is undone when it throws. */
  readonly attempt: <T>(work: (ctx: WriteContext<Code>) => Promise<T>) => Promise<T>
}

type ContextOf<E extends Endpoint> = E extends Reading
  ? E['path'] extends `/workspaces/{workspace}${string}`
    ? WorkspaceReadContext<DeclaredErrors<E>>
    : ReadContext<DeclaredErrors<E>>
  : WriteContext<DeclaredErrors<E>>

/** What a handler returns beside the body: the answer's version and which of two success statuses it has. */
export type Answer<Body> = { readonly body: Body; readonly version?: number; readonly status?: number }

type Handler<E extends Endpoint> = (ctx: ContextOf<E>, input: Input<E>) => Promise<Answer<Output<E>>>
export type Handlers<D extends Domain> = { readonly [K in keyof D]: Handler<D[K]> }
export type Modules<C extends Contract> = { readonly [K in keyof C]: Handlers<C[K]> }

/** Keeps a domain's handlers to its endpoints: a missing or an extra one does not compile. */
export const implement = <D extends Domain>(_domain: D, handlers: Handlers<D>): Handlers<D> => handlers
