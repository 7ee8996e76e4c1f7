import type { CallInput, EventResource, events as endpoints } from '@kontor/contract'
import { ConnectionFailed, KontorError } from './errors.ts'
import { events } from './operations.ts'
import { pause } from './pause.ts'
import type { RestClient } from './rest.ts'
import { isPassing, waitMs } from './retries.ts'

export type Following = {
  readonly signal?: AbortSignal
  /** Told when it is known where it begins, and again when it is connected after a wait. */
  readonly onConnect?: () => void
  /** Told of what it waits for, and for how long. */
  readonly onWait?: (error: Error, ms: number) => void
}

/**
 * The events of a workspace, for ever: from now on, or behind the `after` of the question. While the API is away it
 * waits, and goes on behind the last event that the caller has done with: nothing is missed, and nothing comes twice.
 * Throws KontorError with the code `events_expired` where the API keeps the next events no longer.
 */
export async function* followEvents(
  rest: RestClient,
  { after: from, ...question }: CallInput<typeof endpoints.stream>,
  { signal, onConnect, onWait }: Following = {},
): AsyncGenerator<EventResource, void, undefined> {
  const options = signal === undefined ? {} : { signal }
  const { workspace } = question
  let after = from
  let failures = 0
  let hasBegun = false
  while (!isAborted(signal)) {
    try {
      if (!hasBegun) {
        after ??= (await rest.call(events.list, { workspace, limit: 1 }, options)).body.meta.last_sequence
        onConnect?.()
        hasBegun = true
      }
      for await (const { id, data } of rest.stream(events.stream, { ...question, after }, options)) {
        if (failures > 0) onConnect?.()
        failures = 0
        if (data !== undefined) yield JSON.parse(data) as EventResource
        if (id !== undefined) after = Number(id)
      }
      // The API stops, or lets this caller in no longer: the next answer tells.
      await pause(waitMs(failures), signal)
    } catch (error) {
      if (isAborted(signal)) return
      if (!(error instanceof ConnectionFailed) && !(error instanceof KontorError && isPassing(error.status)))
        throw error
      const ms = waitMs(failures++)
      onWait?.(error, ms)
      await pause(ms, signal).catch(() => undefined)
    }
  }
}

const isAborted = (signal: AbortSignal | undefined): boolean => signal?.aborted === true
