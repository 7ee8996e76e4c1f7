import type { Database } from '../../../db/tx.ts'
import { actorUserId, type Actor } from '../../../kernel/actor.ts'
import type { Clock } from '../../../kernel/clock.ts'
import { throttle } from '../../../lib/throttle.ts'
import { updateUser } from './store.ts'

const notedEveryMs = 60_000

/** Records when a person was last active, at most once a minute and never awaited. */
export function presence(database: Database, clock: Clock, onError: (error: unknown) => void): (actor: Actor) => void {
  const mayNote = throttle(clock, notedEveryMs)
  return (actor) => {
    const userId = actorUserId(actor)
    if (userId === null || !mayNote(userId, null)) return
    database.write((tx) => updateUser(tx, { id: userId, last_active_at: clock.now() })).catch(onError)
  }
}
