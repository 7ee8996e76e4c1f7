/** Bytes that all conversations may keep, and those of one workspace. */
const keptBytesMax = 192 << 20
const eachBytesMax = 64 << 20

/** Counts the answers that are kept for tasks, so that these can be run again. */
export class Kept {
  readonly #byWorkspace = new Map<string, number>()
  #total = 0

  /** Counts further bytes; false where there is no room for them. */
  add(workspaceId: string, bytes: number): boolean {
    const own = (this.#byWorkspace.get(workspaceId) ?? 0) + bytes
    if (own > eachBytesMax || this.#total + bytes > keptBytesMax) return false
    this.#byWorkspace.set(workspaceId, own)
    this.#total += bytes
    return true
  }

  release(workspaceId: string, bytes: number): void {
    const own = (this.#byWorkspace.get(workspaceId) ?? 0) - bytes
    if (own > 0) this.#byWorkspace.set(workspaceId, own)
    else this.#byWorkspace.delete(workspaceId)
    this.#total -= bytes
  }
}
