import type { EventPayload, EventType } from '@kontor/contract'

/** A change, published once; activities, triggers, webhooks and streams consume it. */
export type DomainEvent<T extends EventType = EventType> = {
  readonly [K in T]: {
    readonly type: K
    readonly object: string
    readonly recordId: string
    readonly payload: EventPayload<K>
    /**
     * Users whom the change newly names or concerns: mentioned in a comment, in charge of a record, or admins of what
     * stops. They are notified; no consumer of the event is told.
     */
    readonly named?: readonly string[]
  }
}[T]

/** An event with its id, which is the same wherever it is published. */
export type NamedEvent = DomainEvent & { readonly id: string }
