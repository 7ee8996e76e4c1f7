/** A change, published once; activities, triggers, webhooks and streams consume it. */
export type DomainEvent = {
  /** As subscriptions spell it, for example `record.updated`. */
  readonly type: string
  readonly object: string
  readonly recordId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event with its id, which is the same wherever it is published. */
export type NamedEvent = DomainEvent & { readonly id: string }
