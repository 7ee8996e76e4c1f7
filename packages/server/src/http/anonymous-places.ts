import type { ServerResponse } from 'node:http'

/** Requests without a credential may take half of the places of a server, and one network half of those. */
const placesShare = 1 / 2
const networkShare = 1 / 4

/** A browser opens several connections at once, however small the server. */
const placesMin = 2

/** A body without a credential may take so long, and longer only if it arrives at a steady pace. */
const bodyMsMax = 5000
const bodyBytesPerMs = 64

type Guest = { readonly network: string; readonly enteredMs: number; readonly bytesBefore: number }

/**
 * The places of requests without a credential. They are fewer than those of the server, and each network has a share of
 * them, so that callers with a credential never wait for those without (docs/decisions/0280).
 */
export class AnonymousPlaces {
  readonly #placesMax: number
  readonly #ofNetworkMax: number
  readonly #guests = new Map<ServerResponse, Guest>()
  readonly #ofNetwork = new Map<string, number>()

  constructor(requestsMax: number) {
    this.#placesMax = Math.max(placesMin, Math.floor(requestsMax * placesShare))
    this.#ofNetworkMax = Math.max(placesMin, Math.floor(requestsMax * networkShare))
  }

  /** Takes a place, unless the request has one; false where there is none for it. */
  take(response: ServerResponse, network: string, nowMs: number): boolean {
    if (this.#guests.has(response)) return true
    const ofNetwork = this.#ofNetwork.get(network) ?? 0
    if (this.#guests.size >= this.#placesMax || ofNetwork >= this.#ofNetworkMax) return false
    this.#ofNetwork.set(network, ofNetwork + 1)
    this.#guests.set(response, { network, enteredMs: nowMs, bytesBefore: response.req.socket.bytesRead })
    return true
  }

  leave(response: ServerResponse): void {
    const guest = this.#guests.get(response)
    if (guest === undefined) return
    this.#guests.delete(response)
    const left = (this.#ofNetwork.get(guest.network) ?? 1) - 1
    if (left === 0) this.#ofNetwork.delete(guest.network)
    else this.#ofNetwork.set(guest.network, left)
  }

  /** Ends requests whose bodies arrive too slowly, with 408 as Node does. */
  endSlow(nowMs: number): void {
    for (const [response, { enteredMs, bytesBefore }] of this.#guests) {
      const { req: request } = response
      const allowedMs = bodyMsMax + (request.socket.bytesRead - bytesBefore) / bodyBytesPerMs
      if (request.complete || nowMs - enteredMs <= allowedMs) continue
      if (!response.headersSent) response.writeHead(408, { Connection: 'close' }).end()
      request.socket.destroySoon()
      this.leave(response)
    }
  }
}
