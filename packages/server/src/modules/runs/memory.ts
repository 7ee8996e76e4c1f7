import { heapBytesMax, isHeapNearlyFull } from '../../lib/heap.ts'

/**
 * What runs may hold together, of what the heap may: their outputs and inputs as JSON. Bodies of requests have as much
 * (docs/decisions/0048). JSON that has been read takes several times its bytes.
 */
const heldShareMax = 1 / 16

/** There is no room for what a run needs next: it is put off, and holds nothing meanwhile. */
export class NoRoom extends Error {
  override readonly name = 'NoRoom'
}

/** The share of one run in the memory of this process. */
export type RunShare = {
  /** Takes room for so many bytes in the place of what it had; throws `NoRoom` where others have taken it. */
  readonly hold: (bytes: number) => void
  readonly leave: () => void
}

/**
 * Counts what the runs of a process hold, as `Admission` counts bodies: many runs with large outputs would fill the
 * heap together, and again after every restart. One run may always go on, so that something gets done.
 */
export class RunMemory {
  readonly #bytesMax: number
  readonly #isFull: () => boolean
  readonly #held = new Map<RunShare, number>()
  #bytes = 0

  constructor(bytesMax = heapBytesMax() * heldShareMax, isFull = isHeapNearlyFull) {
    this.#bytesMax = bytesMax
    this.#isFull = isFull
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Lets a run in, before anything of it is read; throws `NoRoom`. */
  enter(): RunShare {
    if (this.#held.size > 0 && (this.#bytes >= this.#bytesMax || this.#isFull())) throw new NoRoom()
    const share: RunShare = {
      hold: (bytes) => this.#hold(share, bytes),
      leave: () => this.#leave(share),
    }
    this.#held.set(share, 0)
    return share
  }

  #hold(share: RunShare, bytes: number): void {
    const own = this.#held.get(share) ?? 0
    const more = bytes - own
    if (more > 0 && this.#held.size > 1 && (this.#bytes + more > this.#bytesMax || this.#isFull())) throw new NoRoom()
    this.#held.set(share, bytes)
    this.#bytes += more
  }

  #leave(share: RunShare): void {
    this.#bytes -= this.#held.get(share) ?? 0
    this.#held.delete(share)
  }
}
