/** What a transaction can leave behind for others in this process to look at. */
export type Topic = 'jobs' | 'counts' | 'outbox' | 'events'

/**
 * Tells those who wait in this process that a commit has left them something. A hint, not a message: whoever misses it, in
 * another process say, looks by itself now and then.
 */
export class PublishedTopics {
  readonly #listeners = new Map<Topic, Set<() => void>>()

  /** Calls `listener` after each commit that announced the topic; the result ends that. */
  hear(topic: Topic, listener: () => void): () => void {
    const listeners = this.#listeners.get(topic) ?? new Set()
    this.#listeners.set(topic, listeners.add(listener))
    return () => void listeners.delete(listener)
  }

  tell(topics: Iterable<Topic>): void {
    for (const topic of topics) for (const listener of this.#listeners.get(topic) ?? []) listener()
  }
}
