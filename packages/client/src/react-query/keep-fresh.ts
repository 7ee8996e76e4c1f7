import type { QueryClient } from '@tanstack/react-query'
import type { EventResource } from '@kontor/contract'
import { isKontorError } from '../errors.ts'
import { followEvents, type Following } from '../follow-events.ts'
import { pause } from '../pause.ts'
import type { RestClient } from '../rest.ts'
import { isOfWorkspace, isTouched } from './touches.ts'

/** One change often has several events. */
const gatherMs = 50

/**
 * Follows the events of a workspace until the signal is aborted, and refetches the queries that an event affects: those
 * that name its subject, show it, or list things of its kind. Queries are recognised by the keys that
 * `@trpc/tanstack-react-query` gives them. Queries that ran before the connection was made are refetched once, since
 * they may have missed an event. Throws KontorError when the caller has lost access.
 */
export async function keepFresh(
  queryClient: QueryClient,
  rest: RestClient,
  workspace: string,
  { onConnect, ...following }: Following = {},
): Promise<void> {
  const untold: EventResource[] = []
  let isAsking = false
  /** Events gather for a moment, and while answers come: many at once cost no more than one. */
  const askAgain = async (): Promise<void> => {
    isAsking = true
    try {
      while (untold.length > 0) {
        await pause(gatherMs, undefined)
        const events = untold.splice(0)
        const predicate = ({ queryKey, state }: { queryKey: readonly unknown[]; state: { data: unknown } }): boolean =>
          events.some((event) => isTouched(queryKey, state.data, event, workspace))
        await queryClient.invalidateQueries({ predicate })
      }
    } finally {
      isAsking = false
    }
  }
  const askAll = (): Promise<void> =>
    queryClient.invalidateQueries({ predicate: ({ queryKey }) => isOfWorkspace(queryKey, workspace) })
  let isConnected = false
  const connected = (): void => {
    onConnect?.()
    // Later connections go on where the one before them was.
    if (!isConnected) void askAll()
    isConnected = true
  }
  for (;;) {
    try {
      for await (const event of followEvents(rest, { workspace }, { ...following, onConnect: connected })) {
        untold.push(event)
        if (!isAsking) void askAgain()
      }
      return
    } catch (error) {
      // Away for longer than events are kept: what is shown may be as old.
      if (!isKontorError(error, 'events_expired')) throw error
      isConnected = false
    }
  }
}
