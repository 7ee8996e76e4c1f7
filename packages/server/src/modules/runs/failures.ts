import { isRetryableStatus } from '../../lib/outbound/failure.ts'
import { DatabaseUnavailable } from '../../db/errors.ts'
import { LeaseLost } from '../../engine/types.ts'
import { Failure } from '../../kernel/errors.ts'
import { storableText } from '../../lib/texts.ts'
import { StepFailure, textOfFaults } from '../plugins/index.ts'

/** Attempts at a step, the first included. */
export const attemptsMax = 4

/** Before the second attempt; before each further one, five times as long. */
const firstPauseMs = 2000
const pauseGrowth = 5

/** Longest pause before another attempt: mail servers that defer a letter look at it again within the hour. */
const pauseMaxMs = 3_600_000

/** A part of a pause that is left to chance, so that steps which failed together are not tried again together. */
const jitter = 0.3

/** Returns the time for which a step rests after a failed attempt. `chance` is from 0 to 1. */
export function pauseMs(failures: number, chance: number, retryAfterMs: number | undefined): number {
  const pause = Math.min(pauseMaxMs, firstPauseMs * pauseGrowth ** (failures - 1)) * (1 - jitter * chance)
  return Math.ceil(Math.max(pause, retryAfterMs ?? 0))
}

/** Why a step failed, as the run tells it. */
export type FailureReason = {
  readonly code: string
  readonly detail: string
  readonly isRetryable: boolean
  /** It is tried again however often it has failed. */
  readonly isPatient: boolean
  readonly retryAfterMs: number | undefined
}

/** Something else has changed the run since it was read: it has to be read again. */
export class RunChanged extends Error {
  override readonly name = 'RunChanged'
}

/** Characters of a detail, which lists of runs show too. */
const detailMax = 4000

/** The reason of a step's failure; undefined for what is no failure of the step, such as a database that is away. */
export function reasonOf(error: unknown): FailureReason | undefined {
  if (error instanceof DatabaseUnavailable || error instanceof LeaseLost || error instanceof RunChanged)
    return undefined
  if (error instanceof StepFailure)
    return {
      code: error.code,
      detail: error.message.slice(0, detailMax),
      isRetryable: error.isRetryable,
      isPatient: error.isPatient,
      retryAfterMs: error.retryAfterMs,
    }
  if (error instanceof Failure)
    return {
      code: error.code,
      detail: storableText(textOfFailure(error).slice(0, detailMax)),
      isRetryable: isRetryableStatus(error.status) || error.retryAfterSeconds !== undefined,
      isPatient: false,
      retryAfterMs: error.retryAfterSeconds === undefined ? undefined : error.retryAfterSeconds * 1000,
    }
  const detail = 'The server failed unexpectedly. Its log contains the reason.'
  return { code: 'internal', detail, isRetryable: true, isPatient: false, retryAfterMs: undefined }
}

/** The wrapping of a block's input in the body of an operation. */
const around = /^\/data(?:\/0)?(?=\/)/

/** Describes everything that an operation has refused, each with its field. */
const textOfFailure = ({ faults, message }: Failure): string =>
  textOfFaults(
    faults.map(({ detail, source }, index) => ({
      field: (source?.pointer?.replace(around, '').slice(1) ?? source?.parameter ?? '').replaceAll('/', '.'),
      detail: detail ?? (index === 0 ? message : ''),
    })),
  )
