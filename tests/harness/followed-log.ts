import { createRestClient, followEvents, type RestClient } from '@kontor/client'
import { onTestFinished } from 'vitest'
import type { Place } from './tenant.ts'

/** The creations of records of an object that a client is told of, as it follows a workspace over many connections. */
export class FollowedLog {
  readonly ids: string[] = []
  readonly sequences: number[] = []
  readonly connected: Promise<void>
  readonly #stopping = new AbortController()

  constructor(url: string, { slug: workspace, key: apiKey }: Place, object: string) {
    const connected = Promise.withResolvers<void>()
    this.connected = connected.promise
    const client = createRestClient({ url, apiKey })
    const following = this.#follow(client, workspace, object, connected.resolve)
    following.catch(() => undefined)
    onTestFinished(async () => {
      this.#stopping.abort()
      await following
    })
  }

  async #follow(client: RestClient, workspace: string, object: string, onConnect: () => void): Promise<void> {
    const filter = { type: ['record.created' as const], object }
    const options = { signal: this.#stopping.signal, onConnect }
    for await (const { attributes } of followEvents(client, { workspace, filter }, options)) {
      this.ids.push(attributes.record_id)
      this.sequences.push(attributes.sequence)
    }
  }

  /** True if no event has come twice, nor one before an earlier one. */
  get isInOrder(): boolean {
    return this.sequences.every((sequence, index) => index === 0 || sequence > (this.sequences[index - 1] ?? Infinity))
  }
}
