import type { DomainEvent } from '../../../kernel/events.ts'
import type { ClientRow } from '../oauth/index.ts'

type AppEvent = 'app.created' | 'app.updated' | 'app.secret_rotated' | 'app.deleted'

/** Returns the event of a change of an app. */
export const eventOf = (type: AppEvent, { id, name }: Pick<ClientRow, 'id' | 'name'>): DomainEvent => ({
  type,
  object: 'app',
  recordId: id,
  payload: { name },
})
