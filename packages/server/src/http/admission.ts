import type { ServerResponse } from 'node:http'
import type { Clock } from '../kernel/clock.ts'
import { Failure } from '../kernel/errors.ts'
import { heapBytesMax, isHeapNearlyFull } from '../lib/heap.ts'

/**
 * Why a request was not let in: too many at work, too many without a credential, too many bytes held, the event loop
 * late, the heap full.
 */
export type Refusal = 'requests' | 'anonymous' | 'bytes' | 'event_loop' | 'heap'

/** The interval in which `look` shall be called. */
export const lookEveryMs = 100

/** So many requests are let in whatever the state: without new work no garbage is collected and nothing gets better. */
const alwaysAdmitted = 8

/** An event loop that comes this late, twice in a row, has more to do than it can. One long piece of work is none. */
const lateMsMax = 500

/** Bodies and answers that are smaller are not counted: as many as may be at work come to 16 MB. */
const countedBytesMin = 16 * 1024

/**
 * Larger bodies may take half of the room, so that a few of them do not keep all other callers from writing. One that
 * is alone may take twice the room: in a small heap the largest would never fit otherwise.
 */
const largeBytesMin = 1024 * 1024

/** An answer of which its reader has taken nothing for so long is given up, and its connection with it. */
const unreadMsMax = 30_000
/** The same where the room is full. */
const unreadMsMaxInNeed = 5000

/** Refusals with shorter pauses between them are one time of overload. */
const pauseMs = 2000

/** An overload of this length is told to the load balancer. Shorter ones are what `Retry-After` is for. */
const longMs = 10_000

const details: Readonly<Record<Refusal, string>> = {
  requests: 'The server has too many requests in progress; try again.',
  anonymous: 'The server has too many requests without a credential in progress; try again.',
  bytes: 'The server is reading and sending too much data; try again.',
  event_loop: 'The server is overloaded; try again.',
  heap: 'The server is low on memory; try again.',
}

type Guest = { readonly network: string; bodyBytes: number; unreadBytes: number; readMs: number }

/** Where a request comes from, and whether it claims a credential that will be checked before its body is read. */
type Visitor = { readonly network: string; readonly claimsCredential: boolean }

/**
 * The share of the heap for bodies and unread responses together. Ten thousand records in 14 MB of JSON
 * took five times as much while they were read, checked and written; JSON that is made to be large takes more.
 */
const heldShareMax = 1 / 16

/**
 * Decides at the door whether a request is let in, before its body is read: a caller who is told at once to retry costs
 * next to no time and no memory (docs/decisions/0048). A request is inside until its last byte has gone.
 */
export class Admission {
  readonly refusals: Record<Refusal, number> = { requests: 0, anonymous: 0, bytes: 0, event_loop: 0, heap: 0 }
  readonly #requestsMax: number
  readonly #monotonicMs: Clock['monotonicMs']
  readonly #heldBytesMax = heapBytesMax() * heldShareMax
  readonly #guests = new Map<ServerResponse, Guest>()
  readonly #anonymous: AnonymousPlaces
  #bodyBytes = 0
  #unreadBytes = 0
  #lookedMs: number | undefined
  #lateMs = 0
  #isLate = false
  #isFull = false
  #overloadedSinceMs = 0
  #refusedMs = -Infinity

  constructor(requestsMax: number, { monotonicMs }: Pick<Clock, 'monotonicMs'>) {
    this.#requestsMax = requestsMax
    this.#anonymous = new AnonymousPlaces(requestsMax)
    this.#monotonicMs = monotonicMs
  }

  /** Requests at work. */
  get requests(): number {
    return this.#guests.size
  }

  get heldBytes(): number {
    return this.#bodyBytes + this.#unreadBytes
  }

  /** Lets a request in until its response is closed; throws `overloaded`. */
  enter(response: ServerResponse, { network, claimsCredential }: Visitor): void {
    const refusal = this.#guests.size < alwaysAdmitted ? undefined : this.#whyNot()
    if (refusal !== undefined) throw this.#refuse(refusal)
    this.#guests.set(response, { network, bodyBytes: 0, unreadBytes: 0, readMs: 0 })
    response.on('close', () => this.#leave(response))
    if (!claimsCredential) this.isAnonymous(response)
  }

  /** Counts a request among those without a credential, whatever it claims; throws `overloaded`. */
  isAnonymous(response: ServerResponse): void {
    const network = this.#guests.get(response)?.network
    if (network !== undefined && !this.#anonymous.take(response, network, this.#monotonicMs()))
      throw this.#refuse('anonymous')
  }

  /** Takes room for a body before it is read, until its request is answered; throws `overloaded`. */
  hold(response: ServerResponse, bytes: number): void {
    const guest = this.#guests.get(response)
    if (bytes < countedBytesMin || guest === undefined) return
    const share = this.heldBytes === 0 ? 2 : bytes > largeBytesMin ? 0.5 : 1
    if (this.heldBytes + bytes > this.#heldBytesMax * share) throw this.#refuse('bytes')
    guest.bodyBytes += bytes
    this.#bodyBytes += bytes
  }

  /**
   * Counts an answer as it is made: many that are made before the next look would fill the heap, if nobody reads them.
   * Where they have taken all room, one that can be asked for again is refused: throws `overloaded`.
   */
  holdAnswer(response: ServerResponse, bytes: number, isRepeatable: boolean): void {
    const guest = this.#guests.get(response)
    if (bytes < countedBytesMin || guest === undefined) return
    if (isRepeatable && this.heldBytes > this.#heldBytesMax) throw this.#refuse('bytes')
    guest.unreadBytes = bytes
    guest.readMs = this.#monotonicMs()
    this.#unreadBytes += bytes
  }

  /** Counts a request no longer, which goes on for long and rests most of the time. */
  letGo(response: ServerResponse): void {
    this.#leave(response)
  }

  /** Ends the connection of each request at work after its response. */
  endConnections(): void {
    for (const response of this.#guests.keys()) if (!response.headersSent) response.setHeader('Connection', 'close')
  }

  /** Looks at what changes by itself: the heap, how late the event loop is, and what has not been read yet. */
  look(): void {
    const nowMs = this.#monotonicMs()
    this.#isFull = isHeapNearlyFull()
    const lateMs = this.#lookedMs === undefined ? 0 : nowMs - this.#lookedMs - lookEveryMs
    this.#isLate = Math.min(lateMs, this.#lateMs) > lateMsMax
    this.#lateMs = lateMs
    this.#lookedMs = nowMs
    this.#anonymous.endSlow(nowMs)
    this.#unreadBytes = 0
    for (const [response, guest] of this.#guests) this.#lookAt(response, guest, nowMs)
    const patienceMs = this.heldBytes > this.#heldBytesMax ? unreadMsMaxInNeed : unreadMsMax
    for (const [response, guest] of this.#guests)
      if (guest.unreadBytes > 0 && nowMs - guest.readMs > patienceMs) response.destroy()
  }

  /** Returns whether requests have been refused for so long that a load balancer should look elsewhere. */
  isOverloadedForLong(): boolean {
    const nowMs = this.#monotonicMs()
    return nowMs - this.#refusedMs < pauseMs && nowMs - this.#overloadedSinceMs > longMs
  }

  #whyNot(): Refusal | undefined {
    if (this.#guests.size >= this.#requestsMax) return 'requests'
    if (this.heldBytes > this.#heldBytesMax) return 'bytes'
    if (this.#isLate) return 'event_loop'
    return this.#isFull ? 'heap' : undefined
  }

  #refuse(refusal: Refusal): Failure {
    const nowMs = this.#monotonicMs()
    if (nowMs - this.#refusedMs > pauseMs) this.#overloadedSinceMs = nowMs
    this.#refusedMs = nowMs
    this.refusals[refusal]++
    return new Failure({ code: 'overloaded', detail: details[refusal] }, { retryAfterSeconds: 1 })
  }

  /**
   * Notes what of a whole answer is unread. An answer that is written piece by piece waits for its reader by itself.
   */
  #lookAt(response: ServerResponse, guest: Guest, nowMs: number): void {
    // One that is made and not yet handed over is being compressed.
    const unreadBytes = response.writableEnded ? response.writableLength : guest.unreadBytes
    if (unreadBytes !== guest.unreadBytes) guest.readMs = nowMs
    guest.unreadBytes = unreadBytes
    if (unreadBytes >= countedBytesMin) this.#unreadBytes += unreadBytes
  }

  #leave(response: ServerResponse): void {
    const guest = this.#guests.get(response)
    if (guest === undefined) return
    this.#bodyBytes -= guest.bodyBytes
    if (guest.unreadBytes >= countedBytesMin) this.#unreadBytes -= guest.unreadBytes
    this.#guests.delete(response)
    this.#anonymous.leave(response)
  }
}

/** Requests without a credential may take half of the places of a server, and one network half of those. */
const placesShare = 1 / 2
const networkShare = 1 / 4

/** A browser opens several connections at once, however small the server. */
const placesMin = 2

/** A body without a credential may take so long, and longer only if it arrives at a steady pace. */
const bodyMsMax = 5000
const bodyBytesPerMs = 64

type AnonymousGuest = { readonly network: string; readonly enteredMs: number; readonly bytesBefore: number }

/**
 * The places of requests without a credential. They are fewer than those of the server, and each network has a share of
 * them, so that callers with a credential never wait for those without (docs/decisions/0048).
 */
class AnonymousPlaces {
  readonly #placesMax: number
  readonly #ofNetworkMax: number
  readonly #guests = new Map<ServerResponse, AnonymousGuest>()
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
