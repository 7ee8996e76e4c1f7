import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server'
import type { CallInput, Contract, Endpoint, Output, Reading, Streaming } from './endpoint.ts'
import type { ErrorBody } from './errors.ts'
import type { AppContract } from './index.ts'

type Definition<E extends Endpoint> = { input: CallInput<E>; output: Output<E>; meta: object }
type ProcedureOf<E extends Endpoint> = E extends Reading
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
  { [D in keyof C]: { [K in keyof C[D] as C[D][K] extends Streaming ? never : K]: ProcedureOf<C[D][K]> } }
>

/** The router's type, inferred from the contract alone: a front end imports no server code. */
export type AppRouter = RouterOf<AppContract>
