import type { Runtime } from '../kernel/invoke/runtime.ts'
import { assertPayloads } from '../kernel/invoke/exact.ts'
import { newId } from '../kernel/ids.ts'
import { writeActivities } from '../modules/activities/index.ts'
import { writeOutbox } from '../modules/events/index.ts'
import { enqueueNotices } from '../modules/notifications/index.ts'
import { followEndings } from '../modules/identity/endings/index.ts'
import { linkParticipants, tellNotetaker } from '../modules/meetings/index.ts'

/** Publishes events everywhere, in each place with the same id. */
export const eventWriter =
  ({ checkAnswers }: Pick<Runtime, 'checkAnswers'>): Runtime['writeEvents'] =>
  async (tx, source, events) => {
    if (checkAnswers) assertPayloads(events)
    const named = events.map((event) => ({ ...event, id: newId(source.now) }))
    await Promise.all([
      writeOutbox(tx, source, named),
      writeActivities(tx, source, named),
      enqueueNotices(tx, source, events),
      followEndings(tx, source, events),
      linkParticipants(tx, source, named),
      tellNotetaker(tx, source, named),
    ])
  }
