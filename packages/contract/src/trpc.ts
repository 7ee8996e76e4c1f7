import type {
  TrackedEnvelope,
  TRPCBuiltRouter,
  TRPCMutationProcedure,
  TRPCQueryProcedure,
  TRPCSubscriptionProcedure,
} from '@trpc/server'
import type { CallInput, Contract, Endpoint, Output, Reading, Streaming } from './endpoint.ts'
import type { EventResource } from './events.ts'
import type { ErrorBody } from './errors.ts'
import type { AppContract } from './index.ts'

type Definition<E extends Endpoint> = { input: CallInput<E>; output: Output<E>; meta: object }

/** A stream of events; a client that connects again sends the id of the last one that it has seen. */
type Subscription<E extends Endpoint> = {
  input: CallInput<E> & { lastEventId?: string | undefined }
  output: AsyncIterable<TrackedEnvelope<EventResource>, void>
  meta: object
}

type ProcedureOf<E extends Endpoint> = E extends Streaming
  ? TRPCSubscriptionProcedure<Subscription<E>>
  : E extends Reading
    ? TRPCQueryProcedure<Definition<E>>
    : TRPCMutationProcedure<Definition<E>>

/** A tRPC error as a client sees it: `data.body` is the error body that REST sends. */
export interface ErrorShape {
  code: number
  message: string
  data: { code: string; httpStatus: number; path?: string; body: ErrorBody }
}

type Root = { ctx: object; meta: object; errorShape: ErrorShape; transformer: false }

export type RouterOf<C extends Contract> = TRPCBuiltRouter<
  Root,
  { [D in keyof C]: { [K in keyof C[D]]: ProcedureOf<C[D][K]> } }
>

/** The router's type, inferred from the contract alone: a front end imports no server code. */
export type AppRouter = RouterOf<AppContract>
