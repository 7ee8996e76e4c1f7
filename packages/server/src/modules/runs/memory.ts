import { heapBytesMax, isHeapNearlyFull } from '../../lib/heap.ts'

/**
 * The share of the heap for all runs: their outputs and inputs as JSON. Bodies of requests have as much
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

/** The room that a refused run needs, and when it was last refused. */
type RefusedRun = { readonly bytes: number; readonly refusedMs: number }

/** A run comes again after 1.5 s at most; one that does not, because it has ended, is waited for no longer. */
const patienceMs = 5000

/**
 * Counts what the runs of a process hold, as `Admission` counts bodies: many runs with large outputs would fill the
 * heap together, and again after every restart. One run may always go on, so that something gets done. Of those that
 * were refused, the first has its room kept until it comes again: smaller ones that keep coming do not keep it out.
 */
export class RunMemory {
  readonly #bytesMax: number
  readonly #isFull: () => boolean
  readonly #nowMs: () => number
  readonly #held = new Map<RunShare, number>()
  /** By the ids of runs, in the order in which they were refused first. */
  readonly #wanted = new Map<string, RefusedRun>()
  #bytes = 0

  constructor(
    bytesMax = heapBytesMax() * heldShareMax,
    isFull = isHeapNearlyFull,
    nowMs: () => number = () => performance.now(),
  ) {
    this.#bytesMax = bytesMax
    this.#isFull = isFull
    this.#nowMs = nowMs
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Lets a run in, before anything of it is read; throws `NoRoom`. */
  enter(runId: string): RunShare {
    const kept = this.#keptFromOthers(runId)
    const isAlone = this.#held.size === 0 && kept === 0
    if (!isAlone && (this.#bytes >= this.#bytesMax - kept || this.#isFull())) throw new NoRoom()
    const share: RunShare = {
      hold: (bytes) => this.#hold(share, runId, bytes),
      leave: () => this.#leave(share),
    }
    this.#held.set(share, 0)
    return share
  }

  #hold(share: RunShare, runId: string, bytes: number): void {
    const more = bytes - (this.#held.get(share) ?? 0)
    const kept = this.#keptFromOthers(runId)
    const isAlone = this.#held.size === 1 && kept === 0
    if (more > 0 && !isAlone && (this.#bytes + more > this.#bytesMax - kept || this.#isFull())) {
      this.#wanted.set(runId, { bytes, refusedMs: this.#nowMs() })
      throw new NoRoom()
    }
    this.#wanted.delete(runId)
    this.#held.set(share, bytes)
    this.#bytes += more
  }

  /** Returns the bytes that are kept for a run that was refused before this one. */
  #keptFromOthers(runId: string): number {
    const nowMs = this.#nowMs()
    for (const [id, { bytes, refusedMs }] of this.#wanted) {
      if (nowMs - refusedMs <= patienceMs) return id === runId ? 0 : bytes
      this.#wanted.delete(id)
    }
    return 0
  }

  #leave(share: RunShare): void {
    this.#bytes -= this.#held.get(share) ?? 0
    this.#held.delete(share)
  }
}
