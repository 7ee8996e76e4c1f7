/**
 * Topic that a transaction can publish. `access`: rights were reduced, or the schemas have changed. `events` and the
 * name of a consumer: there are numbered events in a workspace that it follows.
 */
export type Topic = 'jobs' | 'counts' | 'outbox' | 'events' | `events.${string}` | 'access'

/**
 * Whose commits a subscriber hears of: those of this process, or also those of others that use the same database. Work
 * that one process does for all listens here; what every process has to know, everywhere.
 */
export type Reach = 'here' | 'everywhere'

/** A message from one process to the others, of at most a few kilobytes of JSON. */
export type Message = { readonly name: string; readonly data: unknown }

/** Topics of another process, and those among them without a subscriber there; and a message, if it sent one. */
export type Heard = {
  readonly topics: readonly string[]
  readonly unattended: readonly string[]
  readonly message?: Message | undefined
}

/**
 * Notifies subscribers that a commit has left them work. A hint, not a message: a subscriber that misses it polls now
 * and then anyway.
 */
export class PublishedTopics {
  readonly #listeners: Readonly<Record<Reach, Map<string, Set<() => void>>>> = {
    here: new Map(),
    everywhere: new Map(),
  }

  readonly #receivers = new Map<string, (data: unknown) => void>()

  /** Calls `listener` after each commit that published the topic; the returned function unsubscribes. */
  subscribe(topic: Topic, listener: () => void, reach: Reach = 'here'): () => void {
    const byTopic = this.#listeners[reach]
    const listeners = byTopic.get(topic) ?? new Set()
    byTopic.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  publish(topics: Iterable<Topic>): void {
    for (const topic of topics) this.#call(topic, ['here', 'everywhere'])
  }

  /** The commit of another process: what has no subscriber there is attended to here. */
  hear({ topics, unattended, message }: Heard): void {
    for (const topic of topics) this.#call(topic, ['everywhere'])
    for (const topic of unattended) this.#call(topic, ['here'])
    if (message !== undefined) this.#receivers.get(message.name)?.(message.data)
  }

  /** Calls `listener` for the messages of other processes with a name. */
  receive(name: string, listener: (data: unknown) => void): void {
    this.#receivers.set(name, listener)
  }

  /** Returns whether this process has subscribed to a topic of its own commits. */
  isAttended(topic: Topic): boolean {
    return [this.#listeners.here, this.#listeners.everywhere].some((byTopic) => (byTopic.get(topic)?.size ?? 0) > 0)
  }

  #call(topic: string, reaches: readonly Reach[]): void {
    for (const reach of reaches) for (const listener of this.#listeners[reach].get(topic) ?? []) listener()
  }
}
