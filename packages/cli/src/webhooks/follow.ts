import type { EventResource } from '@kontor/contract'
import { followEvents, isKontorError } from '@kontor/client'
import type { Connected } from '../connection.ts'
import { say } from '../output.ts'

type Following = {
  readonly signal: AbortSignal
  /** Called once, when it is known where it begins. */
  readonly onBegin: () => void
}

const onWait = ({ message }: Error, ms: number): void =>
  void say(`${message} Trying again in ${Math.ceil(ms / 1000)} s.`)

/** The events of a workspace from now on, until it is stopped; tells where it waits, and where events were missed. */
export async function* follow(
  { rest, workspace }: Connected,
  { signal, onBegin }: Following,
): AsyncGenerator<EventResource, void, undefined> {
  let hasBegun = false
  const onConnect = (): void => {
    if (hasBegun) say('Connected again.')
    else onBegin()
    hasBegun = true
  }
  while (!signal.aborted) {
    try {
      yield* followEvents(rest, { workspace }, { signal, onConnect, onWait })
    } catch (error) {
      if (!isKontorError(error, 'events_expired')) throw error
      say('The server keeps the next events no longer: some were missed.')
    }
  }
}
