import { TRPCError, type TRPC_ERROR_CODE_KEY } from '@trpc/server'
import { TRPC_ERROR_CODES_BY_KEY } from '@trpc/server/rpc'
import type { ErrorShape } from '@kontor/contract/trpc'
import { Failure, failure } from '../kernel/errors.ts'

/** tRPC has no names for 410, 414 and 431; its clients read the true status from `data.httpStatus`. */
const codes: Readonly<Record<number, TRPC_ERROR_CODE_KEY>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  410: 'BAD_REQUEST',
  412: 'PRECONDITION_FAILED',
  413: 'PAYLOAD_TOO_LARGE',
  414: 'BAD_REQUEST',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  422: 'UNPROCESSABLE_CONTENT',
  429: 'TOO_MANY_REQUESTS',
  431: 'BAD_REQUEST',
  503: 'SERVICE_UNAVAILABLE',
}

/** Our failure as tRPC's error, with ours as its cause; anything else says nothing of itself. */
export const toTrpcError = (error: unknown): TRPCError =>
  error instanceof Failure
    ? new TRPCError({ code: codes[error.status] ?? 'INTERNAL_SERVER_ERROR', message: error.message, cause: error })
    : new TRPCError({
        code: 'INTERNAL_SERVER_ERROR',
        message: 'The server failed unexpectedly. Report the request id.',
        cause: error,
      })

/**
 * An error as tRPC's clients read it. tRPC would make it by the configuration of a router, which is none of what it
 * promises.
 */
export function errorShape(error: TRPCError, requestId: string, path?: string): ErrorShape {
  const failed = failureOf(error)
  const data = {
    code: error.code,
    httpStatus: failed.status,
    ...(path !== undefined && { path }),
    body: failed.toBody(requestId),
  }
  return { message: error.message, code: TRPC_ERROR_CODES_BY_KEY[error.code], data }
}

/** The failure behind an error of tRPC: ours, or what tRPC itself found wrong with the call. */
export function failureOf(error: TRPCError): Failure {
  if (error.cause instanceof Failure) return error.cause
  if (error.code === 'NOT_FOUND') return failure('not_found', error.message)
  if (error.code === 'INTERNAL_SERVER_ERROR')
    return failure('internal', 'The server failed unexpectedly. Report the request id.')
  if (error.code === 'PARSE_ERROR') return failure('malformed_json', error.message)
  if (error.code === 'METHOD_NOT_SUPPORTED') return failure('not_found', error.message)
  return failure('invalid_parameter', error.message)
}
