/** A change, told once: activities, triggers, webhooks and streams live from it. */
export type DomainEvent = {
  /** In subscriptions' spelling, for example `record.updated`. */
  readonly type: string
  readonly object: string
  readonly recordId: string
  readonly payload: Readonly<Record<string, unknown>>
}

/** An event with the id that it has wherever it is told. */
export type NamedEvent = DomainEvent & { readonly id: string }
