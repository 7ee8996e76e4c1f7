/** What a transaction can publish to subscribers in this process. */
export type Topic = 'jobs' | 'counts' | 'outbox' | 'events'

/**
 * Notifies subscribers in this process that a commit has left them work. A hint, not a message: a subscriber that
 * misses it, in another process for example, polls now and then anyway.
 */
export class PublishedTopics {
  readonly #listeners = new Map<Topic, Set<() => void>>()

  /** Calls `listener` after each commit that published the topic; the returned function unsubscribes. */
  subscribe(topic: Topic, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  publish(topics: Iterable<Topic>): void {
    for (const topic of topics) for (const listener of this.#listeners.get(topic) ?? []) listener()
  }
}
